/* text.h - MLIR text in and out: the parser and printer of modules, types and attributes, and what op hooks may call.
 *
 * The generic form of a branch lists all operands together, as in MLIR. Two attributes that only the text has split the
 * list: operandSegmentSizes = array<i32: own, of each single successor.., of all variadic ones together>, if there are
 * several successors, and case_operand_segments = array<i32: ..> for the variadic ones.
 *
 * The parser reads two syntaxes, also mixed in one file: MLIR's current one and that of 2020 (loop.for, std ops). The
 * printer writes either. */
#ifndef NORIA_IR_TEXT_H
#define NORIA_IR_TEXT_H

#include "ir/op_info.h"

/* ---- whole files ------------------------------------------------------------------------------------------------ */

typedef enum NrSyntax { NR_SYNTAX_MLIR, NR_SYNTAX_2020 } NrSyntax;

typedef struct NrParseOptions {
  bool allow_unregistered; /* accept unknown ops in generic form */
  bool text_stays; /* the text is NUL-terminated and outlives the context, so the context makes no copy */
  size_t lines_before; /* with text_stays: lines of the file before the text */
} NrParseOptions;

/* Parses text, which diagnostics call `file`. The text needs no NUL and is not referenced afterwards, except with
 * text_stays. Reports all errors and returns NULL if there was one. *out_syntax, if given, is the syntax that it uses.
 * Registers the text with the context as the source of `file`, so that diagnostics can show the line. */
NrModule *nr_parse_module(NrContext *ctx, NrStr text, NrStr file, const NrParseOptions *options, NrSyntax *out_syntax);
NrType nr_parse_type(NrContext *ctx, NrStr text);  /* NULL after an error */
NrAttr nr_parse_attr(NrContext *ctx, NrStr text);

typedef struct NrPrintOptions {
  NrSyntax syntax;
  bool generic;    /* "scf.for"(...) for every op */
  bool locations;  /* print loc(...) */
  bool local_scope; /* no aliases: affine maps and sets are printed in full at each use */
  size_t elide_elements_above; /* dense and resource constants with more elements print as dense_resource<__elided__>; 0
                                  = never */
  bool report_refused_text; /* report ops that the chosen syntax cannot express. With the 2020 syntax, a warning: they
                             * are printed in the current syntax, which Noria reads in the same file. With the current
                             * syntax, an error: the printed text cannot be parsed */
  bool list_elements; /* print all elements as numbers; else more than 100 are printed as hexadecimal bytes */
} NrPrintOptions;
void nr_print_op(NrBuf *out, NrOp *op, const NrPrintOptions *options); /* options NULL = defaults */
void nr_print_module(NrBuf *out, NrModule *module, const NrPrintOptions *options);
void nr_print_type(NrBuf *out, NrType type);
void nr_print_attr(NrBuf *out, NrAttr attr);
void nr_print_attr_with(NrBuf *out, NrAttr attr, const NrPrintOptions *options);
void nr_print_affine_map(NrBuf *out, NrAttr map); /* "(d0) -> (d0)" without affine_map<> */
const char *nr_type_text(NrContext *ctx, NrType type); /* for messages; lives in the context */

/* Renders diagnostics like clang: file:line:col: error: text, the source line, a caret. */
void nr_diag_render(NrContext *ctx, const NrDiag *diag, bool color, NrBuf *out);
/* Renders the diagnostics of a program: the first `limit` in full, the rest only as a count. */
#define NR_DIAG_LIMIT 100
typedef struct NrDiagList {
  NrContext *ctx;
  bool color;
  size_t limit, shown, hidden; /* limit 0: none */
} NrDiagList;
void nr_diag_list_add(NrDiagList *list, const NrDiag *diag, NrBuf *out);
void nr_diag_list_end(NrDiagList *list, NrBuf *out); /* prints how many were left out since the last call */
/* Registers the text of a source file, for the renderer. */
void nr_context_add_source(NrContext *ctx, NrStr file, NrStr text);
/* The same without a copy: the text is NUL-terminated and outlives the context. */
void nr_context_lend_source(NrContext *ctx, NrStr file, NrStr text, size_t lines_before);
NrStr nr_context_source(NrContext *ctx, NrStr file);

/* ---- for .parse hooks ------------------------------------------------------------------------------------------- */

/* All return NR_OK or report and return an error. "try" functions report nothing when the thing is not there. */
NrContext *nr_p_context(NrParser *p);
NrModule *nr_p_module(NrParser *p);
NrLoc nr_p_loc(NrParser *p);       /* of the next token */
NrStatus nr_p_error(NrParser *p, NrLoc loc, const char *format, ...) NR_PRINTF(3, 4);
NrStatus nr_p_op_error(NrParser *p, const char *format, ...)
    NR_PRINTF(2, 3);               /* "custom op 'scf.for' ..." at the op's name */
bool nr_p_is_legacy(NrParser *p);  /* the op has its 2020 name */
bool nr_p_text_is_legacy(NrParser *p); /* the text is of 2020, as far as it was read */
NrStr nr_p_type_name(NrParser *p); /* in a .parse hook of a type: the name that the text has, without `!` */
NrStr nr_p_op_name(NrParser *p);  /* as it is in the text */
bool nr_p_is_generic(NrParser *p); /* the op has the generic form */
const char *nr_p_end(NrParser *p); /* end of the last consumed token in the text */
const char *nr_p_signature_end(NrParser *p); /* end of the first (..) of the op, or of its name if there is none */
/* Warns that the op has a syntax that was only proposed for MLIR in 2020 and shows the accepted one: the op's text from
 * its name to `end`, then the formatted text. */
void nr_p_proposal(NrParser *p, const char *end, const char *format, ...) NR_PRINTF(3, 4);

bool nr_p_try_token(NrParser *p, NrStr token);
NrStatus nr_p_expect_token(NrParser *p, NrStr token);
/* Punctuation or keyword: "(", "->", "to". */
static inline bool nr_p_try(NrParser *p, const char *token) { return nr_p_try_token(p, nr_str(token)); }
static inline NrStatus nr_p_expect(NrParser *p, const char *token) { return nr_p_expect_token(p, nr_str(token)); }
bool nr_p_peek(NrParser *p, const char *token);      /* also "@" "%" "^" "#" "!" "\"": any token with that prefix */
bool nr_p_try_keyword(NrParser *p, NrStr *out);       /* any bare identifier */
NrStatus nr_p_keyword(NrParser *p, NrStr *out);
NrStatus nr_p_choice(NrParser *p, NrStr choices, int64_t *out); /* one word of "a|b|c", as its number from 0 */
bool nr_p_try_int(NrParser *p, int64_t *out);         /* with sign */
NrStatus nr_p_int(NrParser *p, int64_t *out);
bool nr_p_try_string(NrParser *p, NrStr *out);
NrStatus nr_p_symbol_name(NrParser *p, NrStr *out);   /* @name */
NrStatus nr_p_symbol(NrParser *p, NrAttr *out);       /* @a::@b */
NrStatus nr_p_type(NrParser *p, NrType *out);
/* A type; or what a ranked tensor's type has between its brackets, 4x?xf32, as that tensor. */
NrStatus nr_p_type_or_dims(NrParser *p, NrType *out);
NrStatus nr_p_type_list(NrParser *p, NrType **out, size_t *count);          /* t, t (at least one) */
NrStatus nr_p_paren_type_list(NrParser *p, NrType **out, size_t *count);    /* (t, t) or () */
NrStatus nr_p_arrow_type_list(NrParser *p, NrType **out, size_t *count);    /* -> t | -> (t, t); nothing without `->` */
NrStatus nr_p_function_type(NrParser *p, NrType *out);
NrStatus nr_p_attr(NrParser *p, NrAttr *out);
NrStatus nr_p_attr_of_type(NrParser *p, NrType type,
                           NrAttr *out);                /* a literal whose type is known: 3, 1.0, dense<..> */
bool nr_p_try_attr_dict(NrParser *p, NrOpState *state); /* false after an error (reported) */
bool nr_p_try_attr_dict_keyword(NrParser *p, NrOpState *state); /* attributes {...} */
NrStatus nr_p_affine_map_of(NrParser *p, NrAttr *out);
NrStatus nr_p_affine_set_of(NrParser *p, NrAttr *out);
bool nr_p_try_loc(NrParser *p,
                  NrLoc *io); /* loc(...), if it is there; nr_p_arg takes one itself; false after an error */

/* %name not yet resolved to a value: the type comes later in the text. */
typedef struct NrOperandRef {
  NrStr name;       /* without % */
  uint32_t number;  /* %name#number */
  const char *at;   /* its place in the text; nr_p_operand_loc makes it a location */
} NrOperandRef;
NrLoc nr_p_operand_loc(NrParser *p, NrOperandRef ref);
bool nr_p_try_operand(NrParser *p, NrOperandRef *out);
NrStatus nr_p_operand(NrParser *p, NrOperandRef *out);
/* %a, %b ... up to the closing token, which is not consumed; the list may be empty. */
NrStatus nr_p_operands(NrParser *p, NrOperandRef **out, size_t *count);
NrStatus nr_p_resolve(NrParser *p, NrOperandRef ref, NrType type,
                      NrValue **out);                  /* a forward reference is made if unknown */
NrType nr_p_known_type(NrParser *p, NrOperandRef ref); /* of a value that the text has defined already, else NULL */
/* Resolve and append to state->operands. */
NrStatus nr_p_add_operand(NrParser *p, NrOpState *state, NrOperandRef ref, NrType type);
NrStatus nr_p_add_operands(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count, const NrType *types,
                           size_t num_types); /* reports a count mismatch */
void nr_p_add_result(NrParser *p, NrOpState *state, NrType type);
void nr_p_add_results(NrParser *p, NrOpState *state, const NrType *types, size_t count);
void nr_p_add_attr(NrParser *p, NrOpState *state, const char *name, NrAttr value);
void nr_p_set_segments(NrParser *p, NrOpState *state, const uint32_t *sizes, size_t count);
size_t nr_p_num_result_names(NrParser *p); /* how many results the text binds: `%a, %b:2 =` is 3 */

/* Affine expressions over values, as in subscripts: `%i + 3, symbol(%n) * 2`. All expressions parsed into one of these
 * share their dims and symbols. Deinit it also after an error. */
typedef struct NrAffineOfValues {
  NR_VEC(NrAffineExpr) exprs;
  NR_VEC(NrOperandRef) dims, symbols;
} NrAffineOfValues;
NrStatus nr_p_affine_expr(NrParser *p, NrAffineOfValues *io);
NrStatus nr_p_affine_exprs(NrParser *p, NrAffineOfValues *io); /* up to a closing bracket, which is not consumed */
void nr_p_affine_deinit(NrAffineOfValues *values);

/* Region arguments are bound to names in the region's first block. Regions are attached to the op, in order, when it is
 * created; implicit terminators are inserted then. A region may be empty. */
typedef struct NrArgRef {
  NrStr name;
  NrType type; /* NULL until known */
  NrLoc loc;
} NrArgRef;
NrStatus nr_p_region(NrParser *p, NrOpState *state, const NrArgRef *args, size_t count); /* { ... } */
void nr_p_empty_region(NrParser *p, NrOpState *state);
NrRegion *nr_p_new_region(NrParser *p, NrOpState *state); /* the same, for the hook to fill with blocks */
NrStatus nr_p_arg(NrParser *p, NrArgRef *out);         /* %name */
NrStatus nr_p_typed_arg(NrParser *p, NrArgRef *out);   /* %name : type */
NrStatus nr_p_successor(NrParser *p, NrOpState *state); /* ^bb or ^bb(%x, %y : t, t) */

/* ---- for .print hooks ------------------------------------------------------------------------------------------- */

void nr_w_str(NrPrinter *w, NrStr s);
static inline void nr_w_puts(NrPrinter *w, const char *text) { nr_w_str(w, nr_str(text)); }
void nr_w_newline(NrPrinter *w); /* with the indentation of the next line */
void nr_w_indent(NrPrinter *w, int blanks); /* from the next line on, so much more; less when negative */
void nr_w_printf(NrPrinter *w, const char *format, ...) NR_PRINTF(2, 3);
bool nr_w_is_legacy(NrPrinter *w);
bool nr_w_is_renamed(NrPrinter *w); /* ops and types are printed by their .renamed */
void nr_w_value(NrPrinter *w, NrValue *value);
void nr_w_values(NrPrinter *w, NrOp *op, size_t begin, size_t count); /* operands, comma-separated */
void nr_w_type(NrPrinter *w, NrType type);
void nr_w_trailing_loc(NrPrinter *w, NrLoc loc); /* ` loc(...)`, when locations are printed */
void nr_w_operand_types(NrPrinter *w, NrOp *op, size_t begin, size_t count);
void nr_w_result_types(NrPrinter *w, NrOp *op);       /* t, t */
void nr_w_arrow_results(NrPrinter *w, NrOp *op);      /* " -> t" or " -> (t, t)" or nothing */
void nr_w_functional_type(NrPrinter *w, NrOp *op);
void nr_w_attr(NrPrinter *w, NrAttr attr);
void nr_w_attr_no_type(NrPrinter *w, NrAttr attr);    /* 3 instead of 3 : i32 */
/* The dims and symbols of e are printed as op's operands from `first` on: num_dims dims, then the symbols. */
void nr_w_affine_expr(NrPrinter *w, NrAffineExpr e, NrOp *op, size_t first, uint32_t num_dims);
void nr_w_symbol_name(NrPrinter *w, NrStr name);
void nr_w_string(NrPrinter *w, NrStr s);              /* quoted and escaped */
/* Attributes except the named ones (NULL-terminated list), with a leading blank; nothing when none are left. */
void nr_w_attr_dict(NrPrinter *w, NrOp *op, const char *const *except);
void nr_w_attr_dict_keyword(NrPrinter *w, NrOp *op, const char *const *except);
/* "{ ... }" on its own lines. entry_args: print ^bb0(...) for the entry block's arguments; terminator: print an
 * implicit one. */
void nr_w_region(NrPrinter *w, NrRegion *region, bool entry_args, bool terminator);
void nr_w_successor(NrPrinter *w, NrOp *op, size_t i); /* ^bb1(%x : t) */

#endif
