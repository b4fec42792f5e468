/* rt.c - the op definitions of dialect rt, and the hooks of its ops. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "dialect/rt/rt.h"
#include "dialect/shared/shaped.h"
#include "ir/op_info.h"
#include "ir/text.h"
#include "noria/exec_abi.h"

/* A check of a constant that holds goes. */
static bool check_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  int64_t value;
  if (!nr_value_constant_int(nr_rt_check_cond(op), &value) || !value) return false;
  nr_op_erase(op);
  return true;
}

/* ---- signatures of the runtime's functions ----------------------------------------------------------------------- */

typedef struct Import {
  const char *name, *operands, *results;
  bool expanded;
} Import;

static const Import imports[] = {
#define IMPORT(name, operands, results) {#name, operands, results, false},
#define EXPANDED(name, operands, results) {#name, operands, results, true},
#include "base/imports.def"
};

static const Import *find(NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(imports); i++)
    if (nr_str_is(name, imports[i].name)) return &imports[i];
  return NULL;
}

/* Reads the next word of a list "a, b, c"; empty at its end. */
static NrStr take_word(const char **list) {
  while (**list == ',' || **list == ' ') (*list)++;
  NrStr word = {*list, strcspn(*list, ",")};
  *list += word.size;
  return word;
}

static size_t num_words(const char *list) {
  size_t count = 0;
  while (take_word(&list).size) count++;
  return count;
}

bool nr_rt_is_import(NrStr name) {
  const Import *import = find(name);
  return import && !import->expanded;
}

/* The index of the operand that the word stands for; -1 when there is none. */
static int64_t operand_of(const NrOp *op, const char *wanted) {
  const Import *import = find(nr_op_attr_str(op, NR_A_name));
  const char *list = import ? import->operands : "";
  for (int64_t i = 0;; i++) {
    NrStr word = take_word(&list);
    if (!word.size) return -1;
    if (nr_str_is(word, wanted)) return i;
  }
}

int64_t nr_rt_count_operand(const NrOp *op) { return operand_of(op, "count"); }
int64_t nr_rt_target_operand(const NrOp *op) { return operand_of(op, "target"); }

uint64_t nr_rt_elements(NrType elem) {
  return nr_type_byte_size(elem) + (elem->kind == NR_TYPE_onnx_string ? NORIA_DESC_STRINGS : 0);
}

/* ---- the C library ----------------------------------------------------------------------------------------------- */

static const struct LibmFunction {
  const char *f64, *f32;
  uint32_t num_operands;
} libm[] = {
#define LIBM(name, count) {#name, #name "f", count},
#include "dialect/rt/libm.def"
#undef LIBM
};

static NrStatus dispatch_verify_symbol(NrOp *op, NrOp *target) {
  NrOp *func = nr_flow_function(target);
  if (!func) return nr_op_error(op, "(C1) entry is neither an entry point of an executable nor a function");
  NrAttr type = nr_op_attr(func, NR_A_function_type);
  size_t first, count;
  nr_op_operand_group(op, NR_RT_DISPATCH_ARGS_GROUP, &first, &count);
  /* the function's verifier reports it */
  if (!type || type->kind != NR_ATTR_TYPE || type->type->kind != NR_TYPE_FUNCTION) return NR_OK;
  bool same = type->type->num_inputs == count + 3 && type->type->num_results == 0;
  for (size_t i = 0; i < count && same; i++) same = type->type->inputs[i] == nr_operand(op, first + i)->type;
  for (size_t i = 0; i < 3 && same; i++) same = nr_type_is_index(type->type->inputs[count + i]);
  if (!same)
    return nr_op_error(op, "(C2) names a function that does not take its arguments and three indices, and returns "
                           "nothing");
  return NR_OK;
}

static NrStatus libm_verify(NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  NrType type = nr_op_result(op)->type;
  for (size_t i = 0; i < NR_COUNTOF(libm); i++) {
    bool is_f32 = nr_str_is(name, libm[i].f32);
    if (!is_f32 && !nr_str_is(name, libm[i].f64)) continue;
    if (op->num_operands != libm[i].num_operands)
      return nr_op_error(op, "(C2) calls '%.*s', which takes %u operands, with %u", NR_STR_ARG(name),
                         libm[i].num_operands, op->num_operands);
    if (!nr_type_is_float_kind(type, is_f32 ? NR_F32 : NR_F64))
      return nr_op_error(op, "(C3) calls '%.*s' for type %s", NR_STR_ARG(name), nr_type_text(type->ctx, type));
    return NR_OK;
  }
  return nr_op_error(op, "(C1) calls '%.*s', which is no function of math.h that is known", NR_STR_ARG(name));
}

static NrStatus dot_verify(NrOp *op) {
  NrType acc = nr_rt_dot_acc(op)->type, bytes = nr_rt_dot_a(op)->type;
  if (acc->rank != 1 || acc->scalable || !nr_type_is_int_width(acc->elem, 32))
    return nr_op_error(op, "(C1) adds to a vector of i32 of one dim; got %s", nr_type_text(acc->ctx, acc));
  bool fits = bytes->rank == 1 && !bytes->scalable && nr_type_is_int_width(bytes->elem, 8) &&
              bytes->dims[0] / 4 == acc->dims[0] && bytes->dims[0] % 4 == 0;
  if (fits) return NR_OK;
  return nr_op_error(op, "(C2) multiplies four i8 for each lane of %s; got %s", nr_type_text(acc->ctx, acc),
                     nr_type_text(acc->ctx, bytes));
}

static bool is_pointer(NrType type) {
  return type->rank == 1 && type->dims[0] == NR_DYNAMIC && nr_memref_is_identity(type);
}

static NrStatus copy_verify(NrOp *op) {
  NrType from = nr_op_source(op)->type, to = nr_rt_copy_target(op)->type;
  if (is_pointer(from) && is_pointer(to) && from->elem == to->elem) return NR_OK;
  return nr_op_error(op, "(C1) copies between pointers to elements of one type; got %s and %s",
                     nr_type_text(from->ctx, from), nr_type_text(to->ctx, to));
}

static NrStatus pointer_verify(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  if (is_pointer(type)) return NR_OK;
  return nr_op_error(op, "(C1) gives a memref of one dim, of open size, without layout; got %s",
                     nr_type_text(type->ctx, type));
}

/* ---- the verifier of rt.call ------------------------------------------------------------------------------------- */

static bool is_int(NrType t, uint32_t width) { return t->kind == NR_TYPE_INTEGER && t->width == width; }

static bool is_array(NrType t) { return nr_type_is_tensor(t) || nr_type_is_memref(t); }

static bool is_of_class(NrType t, NrStr word) {
  if (nr_str_is(word, "i1")) return is_int(t, 1);
  if (nr_str_is(word, "index")) return nr_type_is_index(t);
  if (nr_str_is(word, "i64") || nr_str_is(word, "count")) return is_int(t, 64);
  if (nr_str_is(word, "tensor") || nr_str_is(word, "tensors") || nr_str_is(word, "values"))
    return is_array(t) && nr_type_is_scalar(t->elem);
  if (nr_str_is(word, "target"))
    return t->kind == NR_TYPE_MEMREF && nr_memref_is_identity(t) && nr_type_is_scalar(t->elem);
  if (nr_str_is(word, "strings")) return is_array(t) && t->elem->kind == NR_TYPE_onnx_string;
  if (nr_str_is(word, "bools")) return is_array(t) && is_int(t->elem, 1);
  if (nr_str_is(word, "i64s")) return is_array(t) && is_int(t->elem, 64) && nr_type_is_ranked(t) && t->rank == 1;
  if (nr_str_is(word, "channel")) return t->kind == NR_TYPE_flow_channel;
  if (nr_str_is(word, "seq")) return t->kind == NR_TYPE_onnx_seq;
  if (nr_str_is(word, "opt")) return t->kind == NR_TYPE_onnx_optional;
  if (nr_str_is(word, "map")) return t->kind == NR_TYPE_onnx_map;
  if (nr_str_is(word, "handle")) return nr_type_is_handle(t);
  if (nr_str_is(word, "keys"))
    return is_array(t) && nr_type_is_ranked(t) && t->rank == 1 &&
           (is_int(t->elem, 64) || t->elem->kind == NR_TYPE_onnx_string);
  return is_int(t, 32);
}

/* The element type of a tensor, or of the tensors or maps in a sequence or optional; NULL when unknown. */
static NrType elements_of(NrType t) {
  while (nr_type_is_handle(t) || is_array(t)) t = t->elem;
  return nr_type_is_scalar(t) ? t : NULL;
}

static const char *class_text(NrStr word) {
  static const struct {
    const char *word, *text;
  } rows[] = {{"i1", "i1"},
              {"index", "index"},
              {"i64", "i64"},
              {"count", "i64"},
              {"seq", "a sequence"},
              {"opt", "an optional"},
              {"channel", "a channel"},
              {"target", "a memref of numbers without gaps"},
              {"tensor", "a tensor of numbers or strings"},
              {"tensors", "a tensor of numbers or strings"},
              {"values", "a tensor of numbers or strings"},
              {"strings", "a tensor of strings"},
              {"bools", "a tensor of i1"},
              {"i64s", "a tensor of i64 of rank 1"},
              {"map", "a map"},
              {"keys", "a tensor of i64 or strings of rank 1"},
              {"handle", "a sequence, an optional or a map"}};
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (nr_str_is(word, rows[i].word)) return rows[i].text;
  return "i32";
}

/* The types that all values of a call must share: set by the first value that has one. */
typedef struct Agreed {
  NrType elements, handle;
} Agreed;

static NrStatus value_verify(NrOp *op, const char *what, size_t i, NrType type, NrStr word, Agreed *agreed) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  if (!is_of_class(type, word))
    return nr_op_error(op, "(C2) %s #%zu of \"%.*s\" must be %s, got %s", what, i, NR_STR_ARG(name), class_text(word),
                       nr_type_text(nr_op_context(op), type));
  bool shares = nr_str_is(word, "tensor") || nr_str_is(word, "target") || nr_str_is(word, "tensors") ||
                nr_str_is(word, "seq") || nr_str_is(word, "opt") || nr_str_is(word, "map") ||
                nr_str_is(word, "handle");
  NrType elements = shares ? elements_of(type) : NULL;
  if (elements && agreed->elements && elements != agreed->elements)
    return nr_op_error(op, "(C2) %s #%zu of \"%.*s\" must have elements of type %s, got %s", what, i, NR_STR_ARG(name),
                       nr_type_text(nr_op_context(op), agreed->elements), nr_type_text(nr_op_context(op), elements));
  if (elements) agreed->elements = elements;
  if (!nr_str_is(word, "handle")) return NR_OK;
  if (agreed->handle && agreed->handle->kind != type->kind)
    return nr_op_error(op, "(C2) %s #%zu of \"%.*s\" must be a handle of the operand's kind, got %s", what, i,
                       NR_STR_ARG(name), nr_type_text(nr_op_context(op), type));
  agreed->handle = type;
  return NR_OK;
}

static NrStatus grow_verify(NrOp *op) {
  NrType from = nr_operand(op, NR_RT_CALL_ARGS)->type, to = nr_op_result(op)->type;
  bool fits = nr_type_is_ranked(from) && nr_type_is_ranked(to) && from->rank == to->rank && from->rank > 0 &&
              to->dims[0] == NR_DYNAMIC;
  for (uint32_t d = 1; fits && d < to->rank; d++) fits = to->dims[d] == NR_DYNAMIC || to->dims[d] == from->dims[d];
  if (fits) return NR_OK;
  return nr_op_error(op, "(C5) \"tensor_grow\" changes dim 0 alone, and leaves it open; got %s from %s",
                     nr_type_text(nr_op_context(op), to), nr_type_text(nr_op_context(op), from));
}

static size_t num_given(const NrOp *op) {
  size_t count = 0;
  for (size_t i = 0; i < nr_index_list_size(op, "given"); i++) count += nr_rt_is_given(op, i);
  return count;
}

bool nr_rt_is_of_user(const NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  return name.size > 0 && name.data[0] == '@';
}

bool nr_rt_is_workgroup(NrType function) {
  if (function->num_results || function->num_inputs < 3) return false;
  for (uint32_t i = 0; i < 3; i++)
    if (function->inputs[function->num_inputs - 1 - i]->kind != NR_TYPE_INDEX) return false;
  return true;
}

bool nr_rt_is_given(const NrOp *op, size_t i) {
  int64_t given[1] = {0};
  NrAttr list = nr_op_attr(op, NR_A_given);
  if (list && i < list->data_size / sizeof *given)
    memcpy(given, (const char *)list->data + i * sizeof *given, sizeof given);
  return given[0] != 0;
}

size_t nr_rt_num_arguments(const NrOp *op) { return op->num_operands - num_given(op); }
size_t nr_rt_num_function_results(const NrOp *op) { return op->num_results + num_given(op); }

static NrStatus given_verify(NrOp *op) {
  size_t count = nr_index_list_size(op, "given"), given = num_given(op);
  NrStr name = nr_op_attr_str(op, NR_A_name);
  bool fits = given <= op->num_operands && (!nr_rt_is_of_user(op) ? !count : count - given == op->num_results);
  for (size_t i = op->num_operands - (fits ? given : 0); i < op->num_operands; i++)
    fits &= nr_type_is_memref(nr_operand(op, i)->type);
  if (fits) return NR_OK;
  return nr_op_error(op, "(C6) \"%.*s\" is given %zu results of %zu, with %u operands and %u results", NR_STR_ARG(name),
                     given, count, op->num_operands, op->num_results);
}

static NrStatus call_verify(NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  NR_TRY(given_verify(op));
  const Import *import = find(name);
  bool has_site = import ? strncmp(import->operands, "site", 4) == 0
                         : op->num_operands > 0 && is_int(nr_operand(op, NR_RT_CALL_ARGS)->type, 32);
  if (nr_op_attr(op, NR_A_node) && !has_site)
    return nr_op_error(op, "(C3) names a node, but \"%.*s\" has no check site as first operand", NR_STR_ARG(name));
  if (!import) return NR_OK; /* a function of the host, or unknown: resolved when the program is loaded */
  size_t words = num_words(import->operands), num_results = num_words(import->results);
  int64_t count = nr_rt_count_operand(op), want;
  bool enough = count >= 0 ? op->num_operands + 1 >= words : op->num_operands == words;
  if (!enough || op->num_results != num_results)
    return nr_op_error(op, "(C1) \"%s\" takes (%s) and gives (%s); got %u operands and %u results", import->name,
                       import->operands, import->results, op->num_operands, op->num_results);
  Agreed agreed = {NULL, NULL};
  const char *operands = import->operands, *results = import->results;
  NrStr word = {NULL, 0};
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (i < words) word = take_word(&operands);
    NR_TRY(value_verify(op, "operand", i, nr_operand(op, i)->type, word, &agreed));
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    NR_TRY(value_verify(op, "result", i, nr_result(op, i)->type, take_word(&results), &agreed));
  if (count >= 0 && nr_value_constant_int(nr_operand(op, (size_t)count), &want) && want != op->num_operands - 1 - count)
    return nr_op_error(op, "(C4) the count of \"%s\" is %lld, but %lld operands follow it", import->name,
                       (long long)want, (long long)(op->num_operands - 1 - count));
  return import->expanded ? grow_verify(op) : NR_OK;
}

#include "ir/rows.h"
#include "dialect/rt/ops.def"
