/* link_kernels.c - declarations of kernels of the library get their bodies.
 *   before  func.func private @noria.searchsorted.f32(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
 *   after   func.func private @noria.searchsorted.f32(%list: tensor<?xf32>, ..) -> tensor<?xi64> { .. }
 * The name says which kernel, and what of:
 *   noria.<kernel>.<type>[.descending][.checked]   descending: in the reverse order; checked: what should be sorted and
 *                                                  is not, is an error
 *   noria.<kernel>.<type>.<type of indices>        on sparse matrices; the indices are i32 or i64
 *   noria.nms.f32[.centre]                         centre: boxes are given by their centre and size
 * With the option checked, all of them are checked. Elements of ui8 to ui64 are those of i8 to i64 without a sign. */
#include "dialect/func/func.h"
#include "pass/core/pass.h"
#include "pass/scalar/kernels.h"

static const NoriaDType dtypes[] = {NORIA_F32, NORIA_F64, NORIA_F16, NORIA_BF16, NORIA_I8,  NORIA_I16,
                                    NORIA_I32, NORIA_I64, NORIA_U8,  NORIA_U16,  NORIA_U32, NORIA_U64};

/* The text up to the next dot; *rest becomes what follows the dot. */
static NrStr next_word(NrStr *rest) {
  size_t n = 0;
  while (n < rest->size && rest->data[n] != '.') n++;
  NrStr word = {rest->data, n};
  size_t used = NR_MIN(n + 1, rest->size);
  *rest = (NrStr){rest->data + used, rest->size - used};
  return word;
}

static const NrKernelText *find_kernel(NrOp *decl, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (const NrKernelText *k = nr_kernel_texts; k->name; k++) {
    if (nr_kernel_kind(k) == NR_KERNEL_PART) continue;
    if (nr_str_is(name, k->name)) return k;
    nr_nearest_try(&nearest, nr_str(k->name));
  }
  nr_op_error(decl, "the library has no kernel '%.*s'" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  return NULL;
}

static const NoriaDType *find_dtype(NrContext *ctx, NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(dtypes); i++)
    if (nr_str_is(name, nr_type_text(ctx, nr_dtype_type(ctx, dtypes[i])))) return &dtypes[i];
  return NULL;
}

static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

/* Puts the kernel's function in the place of its declaration. Errors in it name the declaration. */
static NrStatus define(NrPassContext *pass, NrOp *decl, const NrKernelText *kernel, NrStr prelude) {
  NrOp *func;
  NrModule *module = nr_kernel_module(pass->ctx, kernel, prelude, &func);
  if (!module) return NR_ERROR_INTERNAL;
  NrStatus status = NR_OK;
  if (nr_func_type(func) != nr_func_type(decl)) {
    status = nr_op_error(decl, "the kernel has the type %s, not %s", nr_type_text(pass->ctx, nr_func_type(func)),
                         nr_type_text(pass->ctx, nr_func_type(decl)));
  } else {
    NrMap map = {0};
    NrOp *copy = nr_op_clone(pass->module, func, &map);
    nr_map_deinit(&map);
    nr_walk_pre(copy, relocate, (void *)decl->loc);
    nr_op_set_attr(copy, NR_A_sym_name, nr_op_attr(decl, NR_A_sym_name));
    nr_op_set_attr(copy, NR_A_sym_visibility, nr_op_attr(decl, NR_A_sym_visibility));
    nr_op_insert_before(copy, decl);
    nr_op_erase(decl);
  }
  nr_module_destroy(module);
  return status;
}

static NrStatus expected(NrOp *decl, const NrKernelText *kernel, NrStr type, const char *first, const char *second) {
  return nr_op_error(decl, "expected noria.%s.%.*s%s or noria.%s.%.*s%s", kernel->name, NR_STR_ARG(type), first,
                     kernel->name, NR_STR_ARG(type), second);
}

static NrStatus write_boxes(NrOp *decl, const NrKernelText *kernel, NrStr words, NrBuf *out) {
  NrStr type = next_word(&words), form = next_word(&words);
  bool centre = nr_str_is(form, "centre");
  if (!nr_str_is(type, "f32") || (form.size && !centre) || words.size)
    return expected(decl, kernel, NR_STR("f32"), "", ".centre");
  nr_kernel_nms_prelude(out, centre);
  return NR_OK;
}

/* The prelude that the words behind the kernel's name ask for. */
static NrStatus write_prelude(NrPassContext *pass, NrOp *decl, const NrKernelText *kernel, NrStr words, NrBuf *out) {
  NrKernelKind kind = nr_kernel_kind(kernel);
  if (kind == NR_KERNEL_BOXES) return write_boxes(decl, kernel, words, out);
  NrStr type = next_word(&words), word = next_word(&words);
  const NoriaDType *dtype = find_dtype(pass->ctx, type);
  if (!dtype)
    return nr_op_error(decl,
                       "'%.*s' is no type of elements; expected noria.%s.TYPE with f16, bf16, f32, f64, "
                       "i8 to i64 or ui8 to ui64",
                       NR_STR_ARG(type), kernel->name);
  if (kind == NR_KERNEL_SPARSE) {
    bool narrow = nr_str_is(word, "i32");
    if ((!narrow && !nr_str_is(word, "i64")) || words.size) return expected(decl, kernel, type, ".i32", ".i64");
    nr_kernel_sparse_prelude(pass->ctx, out, *dtype, narrow ? NORIA_I32 : NORIA_I64);
    return NR_OK;
  }
  bool descending = nr_str_is(word, "descending");
  if (descending) word = next_word(&words);
  bool checked = nr_str_is(word, "checked");
  if ((word.size && !checked) || words.size) return expected(decl, kernel, type, "", ".descending");
  nr_kernel_prelude_checked(pass->ctx, out, *dtype, descending, checked || nr_pass_flag(pass, "checked"));
  return NR_OK;
}

static NrStatus link(NrPassContext *pass, NrOp *decl, NrStr words) {
  NrStr name = next_word(&words);
  const NrKernelText *kernel = find_kernel(decl, name);
  if (!kernel) return NR_ERROR_INVALID;
  NrBuf prelude = {0};
  NrStatus status = write_prelude(pass, decl, kernel, words, &prelude);
  if (!status) status = define(pass, decl, kernel, (NrStr){prelude.data, prelude.size});
  nr_buf_deinit(&prelude);
  return status;
}

static NrStatus link_kernels_run(NrPassContext *pass, NrOp *root) {
  NrStatus status = NR_OK;
  for (NrOp *op = nr_op_only_body(root)->first, *next; op; op = next) {
    next = op->next;
    if (!nr_op_is(op, NR_OP_func_func) || nr_func_func_body(op)) continue;
    NrStr name = nr_op_attr_str(op, NR_A_sym_name);
    if (!nr_str_starts(name, "noria.")) continue;
    if (link(pass, op, (NrStr){name.data + 6, name.size - 6})) status = NR_ERROR_INVALID;
  }
  return status;
}

static const NrPassOption options[] = {
    NR_FLAG("checked", false, "kernels check that what should be sorted is, as with .checked in their names"),
    {0},
};
NR_PASS(link_kernels, .name = "link-kernels", .on_while = NR_WHILE_BARRIER, .on = "builtin.module",
        .of_table = true, .run = link_kernels_run, .options = options,
        .doc = "gives declarations named noria.KERNEL.TYPE the bodies of the library's kernels")
