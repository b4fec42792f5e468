/* main.c - writes the accessors of all ops from their definitions (src/dialect/<d>/ops.def); a program of the build.
 *
 *   accessors OUT      writes OUT/dialect/<d>/ops.h for each dialect, OUT/dialect/operands.h and OUT/operands.c
 *
 * For an operand `lowerBound` of scf.for:
 *   NR_SCF_FOR_LOWER_BOUND             its index, where no variadic operand stands before it
 *   nr_scf_for_lower_bound(op)         the value; of an optional operand NULL where it is absent
 * For a variadic one such as the indices of memref.load:
 *   NR_MEMREF_LOAD_INDICES             the index of the first
 *   nr_memref_load_indices(op)         its range
 * NR_MEMREF_LOAD_INDICES_GROUP is the number of the group, for nr_op_operand_group. Ops with several results have the
 * same for them. A region `thenRegion` is nr_scf_if_then_region(op), its first block nr_scf_if_then_body(op).
 *
 * src/dialect/shared/operands.def names operands that many ops have, for code that does not know which op it has:
 *   nr_op_lhs(op)         the operand `lhs` of any op that has one
 *   nr_op_indices(op)     the range of any variadic operand of that name */
#include "accessors.h"

#include <stdlib.h>
#include <string.h>

/* The macros of a definition are expanded before it becomes text. */
#define TEXT(...) #__VA_ARGS__
#define OP(dialect_, op_, ...) {#dialect_, #op_, TEXT(__VA_ARGS__)},
static const Row rows[] = {
#include "dialect/all.def"
};
#undef OP

static const Shared shared[] = {
#define OPERAND(name, doc) {#name, doc, false},
#define OPERANDS(name, doc) {#name, doc, true},
#include "dialect/shared/operands.def"
};

enum { NUM_ROWS = sizeof rows / sizeof *rows, NUM_SHARED = sizeof shared / sizeof *shared };

static Op ops[NUM_ROWS];

static void write_dialect(const char *folder, const char *dialect) {
  Out out = {0};
  put(&out, "/* Generated from src/dialect/%s/ops.def. */\n#ifndef NORIA_OPS_%s_H\n#define NORIA_OPS_%s_H\n\n", dialect,
      dialect, dialect);
  put(&out, "#include \"ir/op_info.h\"\n");
  for (size_t i = 0; i < NUM_ROWS; i++)
    if (strcmp(ops[i].dialect, dialect) == 0) write_op(&out, &ops[i]);
  put(&out, "\n#endif\n");
  save(&out, "%s/dialect/%s/ops.h", folder, dialect);
}

static void write_shared(const char *folder) {
  Out header = {0}, table = {0};
  put(&header, "/* Generated from src/dialect/shared/operands.def. */\n#ifndef NORIA_OPERANDS_H\n"
               "#define NORIA_OPERANDS_H\n\n#include \"ir/op_info.h\"\n");
  put(&table, "/* Generated from src/dialect/shared/operands.def. */\n#include \"dialect/operands.h\"\n");
  for (size_t i = 0; i < NUM_SHARED; i++) write_shared_operand(&header, &table, &shared[i], ops, NUM_ROWS);
  put(&header, "\n#endif\n");
  save(&header, "%s/dialect/operands.h", folder);
  save(&table, "%s/operands.c", folder);
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: accessors OUT");
  for (size_t i = 0; i < NUM_ROWS; i++) ops[i] = read_row(&rows[i]);
  for (size_t i = 0; i < NUM_ROWS; i++)
    if (i == 0 || strcmp(ops[i].dialect, ops[i - 1].dialect) != 0) write_dialect(argv[1], ops[i].dialect);
  write_shared(argv[1]);
  return 0;
}
