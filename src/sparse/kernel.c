/* kernel.c - the function around the loops; see sparse.h. */
#include <math.h>
#include <stdlib.h>

#include "base/float_format.h"
#include "sparse/lower.h"

NrStatus nr_sparse_check_type(NrArena *arena, const char *type, NrSparseError *error) {
  static const char *const types[] = {"i1",  "i8",  "i16", "i32", "i64",         "f16",
                                      "bf16", "f32", "f64", "complex<f32>", "complex<f64>"};
  for (size_t i = 0; i < NR_COUNTOF(types); i++)
    if (!strcmp(types[i], type)) return NR_OK;
  return nr_sparse_fail(arena, error, 0, "elements are i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or "
                        "complex<f64>, not '%s'", type);
}

static NrStatus choose_types(NrGenerator *s, const NrSparseOptions *options) {
  s->type = options->type ? options->type : "f64";
  s->index = options->index ? options->index : "i32";
  NR_TRY(nr_sparse_check_type(s->arena, s->type, s->error));
  if (strcmp(s->index, "i32") && strcmp(s->index, "i64") && strcmp(s->index, "index"))
    return nr_sparse_fail(s->arena, s->error, 0, "positions and coordinates are i32, i64 or index, not '%s'", s->index);
  s->is_scalar = options->scalar;
  s->is_int = s->type[0] == 'i';
  s->is_bool = !strcmp(s->type, "i1");
  s->is_complex = s->type[0] == 'c';
  return NR_OK;
}

static long long most_of(const char *type) {
  switch (type[1]) { /* i1 and i16, i8, i32, i64 */
  case '1': return type[2] ? INT16_MAX : 1;
  case '8': return INT8_MAX;
  case '3': return INT32_MAX;
  default: return INT64_MAX;
  }
}

/* Whether a number, rounded to a type of floats, is none of its infinities. */
static bool is_finite(const char *type, const char *number) {
  if (strstr(type, "f32")) return isfinite(strtof(number, NULL));
  double value = strtod(number, NULL);
  if (!strcmp(type, "f16")) value = nr_float_decode(&nr_format_f16, nr_float_encode(&nr_format_f16, value, false));
  if (!strcmp(type, "bf16")) value = nr_float_decode(&nr_format_bf16, nr_float_encode(&nr_format_bf16, value, false));
  return isfinite(value);
}

/* What elements of the type cannot have. Sums of i1 are or and products and, which have no inverse. */
static NrStatus check_elements(NrGenerator *s, const NrSparseExpr *e) {
  if (!e) return NR_OK;
  if (s->is_bool && (e->kind == NR_SPARSE_SUB || e->kind == NR_SPARSE_NEG))
    return nr_sparse_fail(s->arena, s->error, e->column, "elements of i1 have no '-': their sum is or, their product "
                          "and; choose another --type");
  if (e->kind == NR_SPARSE_NUMBER && s->is_int) {
    long long most = most_of(s->type), value = 0;
    for (size_t i = 0; i < e->number.size; i++) {
      int digit = e->number.data[i] - '0';
      if (digit < 0 || digit > 9 || digit > most || value > (most - digit) / 10)
        return nr_sparse_fail(s->arena, s->error, e->column, "'%.*s' is no %s", NR_STR_ARG(e->number), s->type);
      value = value * 10 + digit;
    }
  }
  if (e->kind == NR_SPARSE_NUMBER && !s->is_int && !is_finite(s->type, nr_gen_text(s, "%.*s", NR_STR_ARG(e->number))))
    return nr_sparse_fail(s->arena, s->error, e->column, "'%.*s' is too large for %s", NR_STR_ARG(e->number), s->type);
  NR_TRY(check_elements(s, e->left));
  return check_elements(s, e->right);
}

static void begin(NrGenerator *s) {
  NrLoops *l = &s->l;
  s->sum = s->found = s->out.first_row = s->out.end_row = NR_NO_LOOP_VALUE;
  s->c0 = nr_loops_named(l, "%c0");
  s->c1 = nr_loops_named(l, "%c1");
  s->zero = nr_loops_named(l, "%zero");
  s->no = nr_loops_named(l, "%no");
  for (size_t i = 0; i < NR_SPARSE_MAX_INDICES; i++) s->extent[i] = s->coordinate[i] = NR_NO_LOOP_VALUE;
  for (size_t k = 0; k < NR_SPARSE_MAX_ACCESSES; k++)
    s->cursors[k] = (NrCursor){.at = s->c0, .end = NR_NO_LOOP_VALUE, .value = NR_NO_LOOP_VALUE};
}

/* Prints what stands behind the arguments. */
static void finish(NrGenerator *s) {
  NrBuf statements = {0}, *text = &s->kernel->text;
  nr_loops_print(&s->l, &statements, "  ");
  nr_output_results(s);
  nr_buf_puts(text, ") -> (");
  for (size_t i = 0; i < s->kernel->results.size; i++)
    nr_buf_printf(text, "%s%s", i ? ", " : "", nr_output_type(s, &s->kernel->results.data[i]));
  nr_buf_printf(text, ") {\n  %%c0 = arith.constant 0 : index\n  %%c1 = arith.constant 1 : index\n"
                      "  %%zero = %s\n  %%no = arith.constant false\n",
                nr_gen_number(s, s->is_int ? "0" : "0.0"));
  nr_buf_str(text, (NrStr){statements.data, statements.size});
  nr_buf_puts(text, "  return ");
  for (size_t i = 0; i < s->kernel->results.size; i++)
    nr_buf_printf(text, "%s%s", i ? ", " : "", s->returned.data[i]);
  for (size_t i = 0; i < s->kernel->results.size; i++)
    nr_buf_printf(text, "%s%s", i ? ", " : " : ", nr_output_type(s, &s->kernel->results.data[i]));
  nr_buf_puts(text, "\n}\n");
  nr_buf_deinit(&statements);
}

static NrStatus make(NrGenerator *s, const NrSparseOptions *options) {
  NR_TRY(choose_types(s, options));
  NR_TRY(check_elements(s, s->a->value));
  NR_TRY(nr_sparse_order(s->arena, s->a, s->order, s->error));
  NR_TRY(nr_output_check(s));
  begin(s);
  nr_buf_printf(&s->kernel->text, "func.func @%s(", options->name ? options->name : "kernel");
  nr_arrays_declare(s);
  if (options->check) nr_check_order(s);
  nr_output_begin(s);
  for (size_t k = 1; k < s->a->num_accesses; k++)
    if (!nr_access_tensor(s, k)->order) nr_arrays_follow(s, k);
  NrTerms terms = nr_terms_of(s->arena, s->a);
  if (s->out.by_rows) nr_rows_make(s, terms);
  else if (s->out.by_blocks) nr_blocks_make(s, terms);
  else nr_gen_loops(s, 0, terms);
  nr_output_end(s);
  if (s->error->message) return NR_ERROR_INVALID;
  finish(s);
  return NR_OK;
}

NrStatus nr_sparse_lower(NrArena *arena, const NrSparseAssignment *a, const NrSparseOptions *options,
                         NrSparseKernel *out, NrSparseError *error) {
  NrGenerator *s = NR_NEW(arena, NrGenerator);
  *s = (NrGenerator){.arena = arena, .a = a, .kernel = out, .error = error};
  *out = (NrSparseKernel){0};
  *error = (NrSparseError){0};
  nr_loops_init(&s->l, arena);
  NrStatus status = make(s, options);
  nr_loops_deinit(&s->l);
  nr_vec_deinit(&s->returned);
  if (status) nr_sparse_kernel_deinit(out);
  return status;
}

void nr_sparse_kernel_deinit(NrSparseKernel *kernel) {
  nr_vec_deinit(&kernel->args);
  nr_vec_deinit(&kernel->results);
  nr_buf_deinit(&kernel->text);
}
