/* kernels.c - see kernels.h. */
#include "pass/scalar/kernels.h"

#include <stdio.h>

#include "dialect/func/ops.h"
#include "ir/text.h"
#include "pass/core/pass.h"

void nr_kernel_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending) {
  NrType type = nr_dtype_type(ctx, dtype), elem = nr_type_lowered(type);
  bool is_int = nr_type_is_int(elem);
  bool small = !is_int && nr_type_bits(elem) < 32;
  const char *e = nr_type_text(ctx, elem), *w = small ? "f32" : e;
  nr_buf_printf(out, "!T = %s\nfunc.func private @before(%%a: !T, %%b: !T) -> i1 {\n", e);
  if (is_int) {
    bool is_unsigned = type->signedness == NR_UNSIGNED || dtype == NORIA_BOOL;
    const char *predicate = is_unsigned ? descending ? "ugt" : "ult" : descending ? "sgt" : "slt";
    nr_buf_printf(out, "  %%before = arith.cmpi %s, %%a, %%b : !T\n", predicate);
  } else {
    const char *x = "%a", *y = "%b";
    if (small) {
      nr_buf_printf(out, "  %%x = arith.extf %%a : %s to %s\n  %%y = arith.extf %%b : %s to %s\n", e, w, e, w);
      x = "%x", y = "%y";
    }
    const char *lesser = descending ? y : x;
    nr_buf_printf(out, "  %%less = arith.cmpf %s, %s, %s : %s\n", descending ? "ugt" : "ult", x, y, w);
    nr_buf_printf(out, "  %%number = arith.cmpf ord, %s, %s : %s\n", lesser, lesser, w);
    nr_buf_printf(out, "  %%before = arith.andi %%less, %%number : i1\n");
  }
  nr_buf_printf(out, "  return %%before : i1\n}\n");
}

static bool uses(const NrKernelText *kernel, const NrKernelText *other) {
  char name[64];
  int n = snprintf(name, sizeof name, "lib/%s.mlir", other->name);
  return n > 0 && (size_t)n < sizeof name && memmem(kernel->text, kernel->size, name, (size_t)n);
}

/* @choose: the first value where the condition holds, else the second. By integers, because CPUs have a conditional
 * move for these and the code generator makes a branch of the choice between two floats. */
static void choose_prelude(NrContext *ctx, NrBuf *out, NrType elem) {
  const char *e = nr_type_text(ctx, elem);
  uint32_t bits = nr_type_bits(elem);
  nr_buf_printf(out, "func.func private @choose(%%c: i1, %%a: !T, %%b: !T) -> !T {\n");
  if (nr_type_is_int(elem)) {
    nr_buf_printf(out, "  %%chosen = arith.select %%c, %%a, %%b : !T\n  return %%chosen : !T\n}\n");
    return;
  }
  nr_buf_printf(out, "  %%x = arith.bitcast %%a : %s to i%u\n", e, bits);
  nr_buf_printf(out, "  %%y = arith.bitcast %%b : %s to i%u\n", e, bits);
  nr_buf_printf(out, "  %%z = arith.select %%c, %%x, %%y : i%u\n", bits);
  nr_buf_printf(out, "  %%chosen = arith.bitcast %%z : i%u to %s\n  return %%chosen : !T\n}\n", bits, e);
}

void nr_kernel_sparse_prelude(NrContext *ctx, NrBuf *out, const NrKernelText *kernel, NoriaDType dtype,
                              NoriaDType indices) {
  NrType elem = nr_type_lowered(nr_dtype_type(ctx, dtype));
  bool is_int = nr_type_is_int(elem);
  const char *zero = is_int ? "0" : "0.0", *kind = is_int ? "i" : "f", *differs = is_int ? "ne" : "une";
  nr_buf_printf(out, "!T = %s\n!I = %s\n", nr_type_text(ctx, elem), nr_type_text(ctx, nr_dtype_type(ctx, indices)));
  nr_buf_printf(out, "func.func private @zero() -> !T {\n  %%zero = arith.constant %s : !T\n", zero);
  nr_buf_printf(out, "  return %%zero : !T\n}\n");
  for (int i = 0; i < 4; i++) { /* of elements, and of vectors of 16 */
    const char *name = i % 2 ? "times" : "plus", *op = i % 2 ? "mul" : "add";
    const char *suffix = i < 2 ? "" : "_16", *type = i < 2 ? "!T" : "vector<16x!T>";
    nr_buf_printf(out, "func.func private @%s%s(%%a: %s, %%b: %s) -> %s {\n", name, suffix, type, type, type);
    nr_buf_printf(out, "  %%result = arith.%s%s %%a, %%b : %s\n  return %%result : %s\n}\n", op, kind, type, type);
  }
  nr_buf_printf(out, "func.func private @not_zero(%%a: !T) -> i1 {\n  %%zero = arith.constant %s : !T\n", zero);
  nr_buf_printf(out, "  %%result = arith.cmp%s %s, %%a, %%zero : !T\n  return %%result : i1\n}\n", kind, differs);
  choose_prelude(ctx, out, elem);
  for (const NrKernelText *k = nr_kernel_texts; k->name; k++)
    if (uses(kernel, k)) nr_buf_str(out, (NrStr){k->text, k->size});
}

NrModule *nr_kernel_module(NrContext *ctx, const NrKernelText *kernel, NrStr prelude, NrOp **out_func) {
  NrBuf text = {0}, file = {0};
  nr_buf_str(&text, prelude);
  nr_buf_str(&text, (NrStr){kernel->text, kernel->size});
  nr_buf_printf(&file, "lib/%s.mlir", kernel->name);
  NrModule *module = nr_parse_module(ctx, (NrStr){text.data, text.size}, (NrStr){file.data, file.size}, NULL, NULL);
  nr_buf_deinit(&text);
  nr_buf_deinit(&file);
  NrPassOptions options = {0};
  if (module && nr_run_passes(module, NR_STR("inline"), &options)) {
    nr_module_destroy(module);
    module = NULL;
  }
  *out_func = module ? nr_symbol_lookup(module->op, nr_str(kernel->name)) : NULL;
  assert(!module || nr_op_is(*out_func, NR_OP_func_func));
  return module;
}
