/* format.h - the declarative syntax of op definitions (.format), as a small program that parser and printer interpret.
 *
 * The grammar is described in op_info.h. A program is a flat array of steps ended by NR_FMT_END. An optional group is
 * NR_FMT_GROUP ... NR_FMT_GROUP_END; `skip` of the first is the distance to the step after the second. Groups do not
 * nest.
 *
 *   `(` $args `)` attr-dict (`:` type($args)^)?
 *   LITERAL "("  OPERAND 0  LITERAL ")"  ATTR_DICT  GROUP(operand 0)  LITERAL ":"  OPERAND_TYPE 0  GROUP_END  END
 *
 * The anchor of a group is the element marked `^`: an operand group, result group, attribute or region by index. The
 * printer prints the group when the anchor is present: operand or result group not empty, attribute set, region not
 * empty. The parser enters it when the group's first step matches the next token: a literal, an operand (`%`) or an
 * attribute literal. A group with a NR_FMT_GROUP_ELSE step has an alternative: (a):(b)? is `a` when present, else `b`.
 */
#ifndef NORIA_IR_FORMAT_H
#define NORIA_IR_FORMAT_H

#include "ir/op_info.h"

typedef enum NrFmtKind {
  NR_FMT_END,
  NR_FMT_LITERAL,           /* text: one token, or several without blanks such as "](" */
  NR_FMT_OPERAND,           /* index of the operand group: %a or %a, %b */
  NR_FMT_OPERAND_TYPE,      /* type(s) of the operand group */
  NR_FMT_RESULT_TYPE,       /* type(s) of the result group */
  NR_FMT_ATTR,              /* index of the declared attribute: the bare literal where its kind fixes the type */
  NR_FMT_REGION,            /* index of the declared region */
  NR_FMT_SUCCESSOR,         /* index of the declared successor, with its operands: ^bb1(%x : t) */
  NR_FMT_FUNCTIONAL_TYPE,   /* (types of all operands) -> results */
  NR_FMT_ATTR_DICT,         /* attributes that the format does not name */
  NR_FMT_ATTR_DICT_KEYWORD, /* the same after `attributes` */
  NR_FMT_GROUP,             /* skip, anchor_kind, index */
  NR_FMT_GROUP_ELSE,        /* ends the first part of a group; skip leads past the alternative */
  NR_FMT_GROUP_END,
} NrFmtKind;

typedef struct NrFmtStep {
  NrFmtKind kind;
  NrFmtKind anchor_kind; /* GROUP: OPERAND, RESULT_TYPE (the result group), ATTR or REGION; its number is in index */
  uint32_t index;
  uint32_t skip; /* steps from here to the one after the group (GROUP: or after its GROUP_ELSE) */
  NrStr text;    /* LITERAL, without the back quotes */
  struct {       /* LITERAL, for the printer: a blank that is due stands before it, also behind punctuation */
    bool blank_before, blank_before_if_punctuation;
    bool blank_after, is_punctuation;
  } spacing;
} NrFmtStep;

typedef struct NrFormat {
  const NrFmtStep *steps;
  size_t num_steps;          /* without NR_FMT_END */
  uint64_t attrs_named;      /* bit i: declared attribute i stands in the format */
  uint64_t operands_typed;   /* bit i: type($operand i) stands in the format */
  uint64_t results_typed;    /* bit i: type($result i) stands in the format */
  bool functional_type, has_attr_dict;
} NrFormat;

/* The program of the op's .format, or of .legacy_format when legacy is set and the op has one; NULL when there is no
 * format. Parsed once for each context. A malformed format is a bug of ours: an assertion with the op's name. */
const NrFormat *nr_op_format(NrContext *ctx, const NrOpInfo *info, bool legacy);

/* How an attribute of the declared kind stands in a format. */
typedef enum NrFmtAttrStyle {
  NR_FMT_ATTR_FULL,   /* the full attribute: 1 : i32, dense<..> : t, affine_map<..>, "text", @name, true */
  NR_FMT_ATTR_INT,    /* kinds i64, i32, index: 3, of the type that the kind names */
  NR_FMT_ATTR_I64S,   /* kind i64s: [1, -2] stands for array<i64: 1, -2> */
  NR_FMT_ATTR_UNIT,   /* nothing: set if its optional group is present */
} NrFmtAttrStyle;
NrFmtAttrStyle nr_format_attr_style(NrStr constraint);

#endif
