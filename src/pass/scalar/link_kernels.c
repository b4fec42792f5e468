/* link_kernels.c - declarations of kernels of the library get their bodies.
 *   before  func.func private @noria.searchsorted.f32(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
 *   after   func.func private @noria.searchsorted.f32(%list: tensor<?xf32>, ..) -> tensor<?xi64> { .. }
 * The name says which kernel, and what of (nr_kernel_named). With the option checked, all of them check their input. */
#include "dialect/func/func.h"
#include "pass/core/pass.h"
#include "pass/scalar/kernels.h"

static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

/* Puts the kernel's function in the place of its declaration. Errors in it name the declaration. */
static NrStatus define(NrPassContext *pass, NrOp *decl, NrStr name) {
  NrOp *func;
  NrModule *module = nr_kernel_named(pass->ctx, decl->loc, name, nr_pass_flag(pass, "checked"), pass->target,
                                     &func);
  if (!module) return NR_ERROR_INVALID;
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

static NrStatus link_kernels_run(NrPassContext *pass, NrOp *root) {
  NrStatus status = NR_OK;
  for (NrOp *op = nr_op_only_body(root)->first, *next; op; op = next) {
    next = op->next;
    if (!nr_op_is(op, NR_OP_func_func) || nr_func_func_body(op)) continue;
    NrStr name = nr_op_attr_str(op, NR_A_sym_name);
    if (!nr_str_starts(name, "noria.")) continue;
    if (define(pass, op, (NrStr){name.data + 6, name.size - 6})) status = NR_ERROR_INVALID;
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
