/* gen_tensors.h - what the files that generate control flow over tensors share. */
#ifndef NORIA_TESTS_FUZZ_PROGRAMS_GEN_TENSORS_H
#define NORIA_TESTS_FUZZ_PROGRAMS_GEN_TENSORS_H

#include "gen.h"

enum { GEN_MAX_TENSOR_TRIPS = 24 };

void gen_tensor_body(Gen *g, int depth); /* some ops */
/* A visible tensor of the same type: one computed last, more often than not. `?` need not be equal sizes. */
uint32_t gen_tensor_for_type(Gen *g, const GenTensor *like);
void gen_tensor_yield(Gen *g, uint32_t id, const GenTensor *type); /* "scf.yield %v1 : tensor<..>" */

/* gen_tensor_control.c */
void gen_tensor_for(Gen *g, int depth);
void gen_tensor_while(Gen *g, int depth);
void gen_tensor_if(Gen *g, int depth);
void gen_tensor_switch(Gen *g, int depth);
void gen_tensor_exits(Gen *g, int depth);
void gen_tensor_forall(Gen *g, int depth);

void gen_flow_op(Gen *g, int depth); /* gen_flow.c */

void gen_contraction(Gen *g); /* gen_contractions.c */

void gen_tensor_blocks(Gen *g, int depth); /* gen_tensor_blocks.c */

#endif
