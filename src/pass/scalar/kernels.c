/* kernels.c - see kernels.h. */
#include "pass/scalar/kernels.h"

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
