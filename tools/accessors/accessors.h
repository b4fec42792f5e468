/* accessors.h - an op definition as the generator of accessors reads it. */
#ifndef ACCESSORS_H
#define ACCESSORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Row {
  const char *dialect, *op, *fields; /* ".operands = \"a: T, b: T\", .results = .." */
} Row;

typedef struct Shared {
  const char *name, *doc;
  bool many; /* variadic */
} Shared;

/* One declared operand, result or region, as in ir/op_info.h. */
typedef struct Item {
  char name[64]; /* in snake case */
  char arity;    /* 0 one, '*' any number, '?' at most one */
  unsigned singles_before, varying_before;
} Item;

enum { MAX_ITEMS = 16 };

typedef struct List {
  unsigned count, singles, varying;
  Item items[MAX_ITEMS];
} List;

typedef struct Op {
  const char *dialect, *id; /* as in NR_OP_<dialect>_<id> */
  char name[128];           /* "scf_for", in snake case */
  List operands, results, regions;
  bool has_segments, has_successors;
} Op;

Op read_row(const Row *row);

/* Text of one generated file. */
typedef struct Out {
  char *text;
  size_t size, capacity;
} Out;

__attribute__((format(printf, 2, 3))) void put(Out *out, const char *format, ...);
/* Writes the file if that changes it, and frees the text. */
__attribute__((format(printf, 2, 3))) void save(Out *out, const char *path_format, ...);
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

void write_op(Out *out, const Op *op);
void write_shared_operand(Out *header, Out *table, const Shared *operand, const Op *ops, size_t num_ops);

#endif
