/* imports.h - the functions of the table in imports.c, and what they share. */
#ifndef NORIA_RUNTIME_IMPORTS_H
#define NORIA_RUNTIME_IMPORTS_H

#include "runtime/internal.h"

static inline int32_t nr_arg_i32(const NoriaDesc *arg) { return (int32_t)arg->bits; }
static inline int64_t nr_arg_i64(const NoriaDesc *arg) { return (int64_t)arg->bits; }
static inline bool nr_arg_bool(const NoriaDesc *arg) { return (arg->bits & 1) != 0; }
static inline NoriaValue *nr_arg_handle(const NoriaDesc *arg) { return arg->data; }

static inline void nr_result_scalar(NoriaDesc *result, uint64_t bits) {
  result->data = NULL;
  result->rank = -1;
  result->bits = bits;
}
/* Gives the handle, which is new, to compiled code; NULL fails for want of memory. */
int32_t nr_result_handle(NrExec *e, NoriaDesc *result, NoriaValue *handle);
/* A fresh tensor for compiled code. Its shape must be one that nr_shape_size accepts. */
int32_t nr_result_tensor(NrExec *e, NoriaDesc *result, NoriaDType dtype, int64_t rank, const int64_t *dims);
/* A value with a copy of compiled code's tensor; NULL after failing. */
NoriaValue *nr_value_from_desc(NrExec *e, NoriaDType dtype, const NoriaDesc *desc);
/* Copies count elements into memory of the run, which then holds the strings among them. */
int32_t nr_copy_into_run(NrExec *e, NoriaDType dtype, void *to, const void *from, int64_t count);

/* A fresh tensor with the elements of a value. */
int32_t nr_result_copy(NrExec *e, NoriaDesc *result, const NoriaValue *tensor);

/* False after failing: a number from compiled code is no type of elements. */
bool nr_is_dtype(NrExec *e, NoriaDType dtype);
int64_t nr_desc_count(const NoriaDesc *tensor); /* elements */
uint64_t nr_desc_elements(NoriaDType dtype);    /* what `bits` says of tensors of this type */
/* False after failing: the tensor cannot have elements of this type. */
bool nr_desc_is(NrExec *e, const NoriaDesc *tensor, NoriaDType dtype);

/* For a loop over elements, with the number of the one that comes: looks from time to time whether the run is to stop,
 * which is then its failure. */
static inline bool nr_import_stopped(NrExec *e, int64_t i) { return (i & 1023) == 1023 && nr_exec_stopped(e); }

/* Puts a new string, which the run holds from then on, into a tensor. False after failing. */
bool nr_put_string(NrExec *e, NoriaString **to, const char *data, size_t size);

/* imports_map.c */
int32_t nr_import_seq_of_maps(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_map_values(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_map_get(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_image.c */
int32_t nr_import_image_decode(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_init.c */
int32_t nr_import_initialize_begin(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_initialize_end(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_random.c */
int32_t nr_import_random_seed(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_global.c */
int32_t nr_import_global_store(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_global_load(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_seq.c */
int32_t nr_import_value_retain(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_value_release(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_empty(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_construct(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_append(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_append_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_insert(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_insert_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_erase(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_erase_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_length(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_at(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_none(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_some(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_some_seq(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_has(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_get(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_optional_get_seq(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_split.c */
int32_t nr_import_seq_concat(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_seq_split_sizes(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_stage.c */
int32_t nr_import_stage_wait(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_stage_post(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_string.c, imports_cast.c */
int32_t nr_import_string_equal(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_concat(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_find(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_rank(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_hash(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_from(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_to(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);


/* imports_text.c, imports_tokenize.c */
int32_t nr_import_string_normalize(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_regex_full_match(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_string_tokenize(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* trace.c */
int32_t nr_import_trace(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_warn(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* imports_channel.c */
int32_t nr_import_channel_default(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_channel_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_channel_rank(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_channel_count(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);
int32_t nr_import_collective(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

#endif
