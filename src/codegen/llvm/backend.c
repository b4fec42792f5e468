/* backend.c - the exported table of the library. */
#include "codegen/llvm/ll.h"

const NrBackend nr_llvm_backend = {nr_ll_jit, nr_ll_jit_link, nr_ll_jit_again,    nr_ll_emit_file,
                                   nr_ll_features, nr_ll_jit_function, nr_ll_jit_destroy};
