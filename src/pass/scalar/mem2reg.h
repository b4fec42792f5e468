/* mem2reg.h - shared by mem2reg.c and mem2reg_blocks.c. */
#ifndef NORIA_PASS_SCALAR_MEM2REG_H
#define NORIA_PASS_SCALAR_MEM2REG_H

#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* One element of a promoted buffer. */
typedef struct NrSlot {
  NrOp *alloca;
  NrType type;
  uint32_t number; /* among all slots */
} NrSlot;

typedef NR_VEC(NrSlot *) NrSlotList;

typedef struct NrPromoter {
  NrPassContext *pass;
  NrMap buffers; /* alloca op -> NrSlot* of its first element; the others follow */
  NrSlotList slots;
  NrMap accesses; /* load or store op -> NrSlot* */
} NrPromoter;

static inline NrSlot *nr_slot_of(const NrPromoter *p, const NrOp *op) { return nr_map_get(&p->accesses, op); }

/* Replaces the loads in a region's own blocks by the last stored values (mem2reg_blocks.c). */
void nr_promote_in_region(NrPromoter *p, NrRegion *region);

#endif
