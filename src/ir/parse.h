/* parse.h - the inside of NrParser, shared by the parse_*.c files of src/ir.
 *
 *   lexer.c          tokens                          parser.c         errors, places, memory
 *   parse_file.c     aliases, resources, modules     parse_names.c    %values and ^blocks, scopes
 *   parse_op.c       ops                             parse_generic.c  their generic form
 *   parse_format.c   the declarative syntax of rows  parse_hooks.c    what op hooks call
 *   parse_region.c   regions, blocks, going on after errors
 *   parse_type.c     types                           parse_attr.c     attributes
 *   parse_dense.c    dense and sparse elements       parse_number.c   numbers
 *   parse_affine.c   affine maps and sets            parse_loc.c      loc(...)
 *
 * Inside, a function that parses returns false (or NULL) when it has reported an error. */
#ifndef NORIA_IR_PARSE_H
#define NORIA_IR_PARSE_H

#include "ir/context.h"
#include "ir/format.h"
#include "ir/lexer.h"
#include "ir/text.h"

/* Scratch memory, freed in reverse order: an op's lists live until the op is created. */
typedef struct NrScratchChunk {
  struct NrScratchChunk *prev;
  size_t used, size;
  _Alignas(16) unsigned char data[];
} NrScratchChunk;
typedef struct NrScratchMark {
  NrScratchChunk *chunk;
  size_t used;
} NrScratchMark;

/* The current meaning of a %name. */
typedef struct NrBinding {
  NrValue *first; /* of count consecutive values (results); NULL: the op that defines it failed to parse */
  uint32_t count;
  uint32_t scope; /* the isolated region in which it is visible; 0 = not bound */
  const char *at; /* where the name was defined */
} NrBinding;

/* A value that was used before its definition. */
typedef struct NrForward {
  struct NrForward *next; /* of the same name */
  struct NrName *name;
  NrValue *value; /* placeholder */
  uint32_t number, scope;
  const char *at;
} NrForward;

/* The meaning of a ^name in the region that is being parsed. */
typedef struct NrLabel {
  NrBlock *block;
  uint32_t region; /* serial number of the region; 0 = not bound */
  bool defined;
  const char *at; /* definition, or first use */
} NrLabel;

typedef struct NrName {
  NrStr text; /* of the context */
  NrBinding bound;
  NrForward *forward;
  NrLabel label;
} NrName;

/* A slot holds the hash, so that a probe does not read other names from all over the memory. */
typedef struct NrNameSlot {
  uint64_t hash;
  NrName *name; /* NULL: free */
} NrNameSlot;

/* `#name = ...` or `!name = ...`. */
typedef struct NrAlias {
  NrAttr attr;
  NrType type;
  size_t size;    /* bytes of text that it stands for */
  unsigned depth; /* nesting depth */
  const char *at;
  bool tried; /* its definition was parsed, perhaps with an error */
  bool open;  /* its definition is being parsed: a use is a cycle */
} NrAlias;

/* A cache entry: a type and its text. The same text again is the same type. */
typedef struct NrReadType {
  NrStr text;
  NrType type;
} NrReadType;

typedef struct NrParsedResource {
  const void *data; /* of the context */
  size_t size;
} NrParsedResource;

typedef struct NrResultName {
  NrName *name;
  uint32_t count; /* %name:count */
  const char *at;
} NrResultName;

/* The op that is being parsed. Its lists are the parser's stacks from these positions on. */
typedef struct NrOpFrame {
  NrOpState state;
  struct NrOpFrame *up;
  const char *at; /* of the name */
  NrStr name;     /* as written */
  bool legacy;
  bool broken; /* an op nested in it failed */
  size_t operands, types, result_types, attrs, successors, branch_operands, regions, result_names;
  NrScratchMark scratch;
} NrOpFrame;

struct NrParser {
  NrContext *ctx;
  NrModule *module;
  NrLexer lexer;
  NrToken tok;
  const char *last_end;   /* of the token before tok */
  int32_t braces, parens; /* opened and not closed before tok; parens counts [] too */
  NrStr file;
  bool allow_unregistered;
  NrStr type_name; /* of the dialect's type that is being read, without ! */
  unsigned depth, region_depth; /* of types, attributes and expressions; of regions */
  unsigned deepest;             /* depth reached in the definition that is being read, aliases included */
  bool reported_end;            /* the unexpected end of the text is reported once, not for each open region */
  size_t num_suggestions;       /* looked up so far (nr_parse_may_suggest) */
  size_t num_legacy, num_modern; /* ops whose name exists in the 2020 syntax only; in the current one only */

  const NrSource *source;
  size_t line; /* result of the last line look-up, the hint for the next */

  NrNameSlot *names; /* hash table */
  size_t num_names, cap_names;
  uint32_t scope, region, last_scope, last_region; /* serial numbers: current and given out */
  NR_VEC(struct { NrName *name; NrBinding old; }) bound;
  NR_VEC(struct { NrName *name; NrLabel old; }) labels;
  NR_VEC(NrForward *) forwards;
  NrBlock *limbo; /* detached; owns the placeholder values */
  NR_VEC(NrOp *) whole; /* the outermost isolated ops that were parsed without an error */

  NrOpFrame *frame;
  NR_VEC(NrValue *) operands;
  NR_VEC(NrType) types;        /* lists of types that are being parsed */
  NR_VEC(NrType) result_types;
  NR_VEC(NrOperandRef) refs;
  NR_VEC(NrNamedAttr) attrs;
  NR_VEC(NrBlock *) successors;
  NR_VEC(uint32_t) successor_sizes;
  NR_VEC(NrValue *) branch_operands;
  NR_VEC(NrRegion *) regions;
  NR_VEC(NrResultName) result_names;

  NrReadType read_types[64];           /* by a hash of the text's beginning; a new entry replaces the old one */
  NrStrMap type_aliases, attr_aliases; /* NrAlias* */
  NrStrMap resources;                  /* key -> NrToken* of the string */
  NrStrMap resource_data;              /* key -> NrParsedResource* */
  NrMap distinct;                      /* number + 1 -> NrAttr */
  size_t expanded;                     /* bytes of text that the aliases used so far stand for */
  bool seen_aliases, seen_resources;   /* the rest of the file was searched for them */
  const char *bad_section;             /* a {-# .. #-} that was parsed early and whose error was reported */
  NrArena arena;                       /* lives as long as the parser */
  NrScratchChunk *scratch;
};

/* ---- parser.c ---------------------------------------------------------------------------- */

void nr_parser_init(NrParser *p, NrContext *ctx, const NrSource *source, NrStr file); /* its text ends with a 0 */
void nr_parser_deinit(NrParser *p);
NrLoc nr_parse_loc_at(NrParser *p, const char *at);

/* Reports an error at a place of the text and returns false. If there is an error token, its message is reported
 * instead. */
bool nr_parse_fail_at(NrParser *p, const char *at, const char *format, ...) NR_PRINTF(3, 4);
/* Whether to search for a name similar to an unknown one. The search is slow, so only the first errors do it. */
static inline bool nr_parse_may_suggest(NrParser *p) { return p->num_suggestions++ < 100; }
bool nr_parse_fail(NrParser *p, const char *format, ...) NR_PRINTF(2, 3); /* at the next token */

static inline void nr_parse_advance(NrParser *p) {
  switch (p->tok.kind) {
  case '{': p->braces++; break;
  case '}': p->braces--; break;
  case '(': case '[': p->parens++; break;
  case ')': case ']': p->parens--; break;
  default: break;
  }
  p->last_end = p->tok.end;
  nr_lex(&p->lexer, &p->tok);
}
static inline bool nr_parse_at(const NrParser *p, int kind) { return p->tok.kind == kind; }
static inline bool nr_parse_at_word(const NrParser *p, const char *word) {
  return p->tok.kind == NR_TOK_BARE && nr_token_is(p->tok, word);
}
static inline bool nr_parse_take(NrParser *p, int kind) {
  if (p->tok.kind != kind) return false;
  nr_parse_advance(p);
  return true;
}
/* nr_p_proposal for text that does not begin at the op's name. */
void nr_parse_proposal_at(NrParser *p, const char *begin, const char *end, const char *format, ...) NR_PRINTF(4, 5);
bool nr_parse_take_word(NrParser *p, const char *word);
bool nr_parse_need(NrParser *p, int kind); /* consumes the token or reports that it is missing */
bool nr_parse_missing(NrParser *p, const char *what); /* reports "expected <what>"; at the line's end if that is next */

/* A position to return to. */
typedef struct NrParseMark {
  NrToken tok;
  const char *next;
  int32_t braces, parens;
} NrParseMark;
NrParseMark nr_parse_mark(const NrParser *p);
void nr_parse_return_to(NrParser *p, NrParseMark mark);
void nr_parse_jump(NrParser *p, const char *at); /* continues lexing there */

/* Enters one more level of nested types, attributes or expressions; reports and returns false beyond the limit. */
bool nr_parse_enter(NrParser *p);
static inline void nr_parse_leave(NrParser *p) { p->depth--; }

void *nr_parse_scratch(NrParser *p, size_t count, size_t size); /* not zeroed */
NrScratchMark nr_parse_scratch_mark(const NrParser *p);
void nr_parse_scratch_release(NrParser *p, NrScratchMark mark);

/* The text of a string or symbol token without quotes and escapes: a view of the source, or scratch memory. */
bool nr_parse_unescape(NrParser *p, NrToken t, NrStr *out);
bool nr_parse_string(NrParser *p, NrStr *out);      /* consumes a string token */
bool nr_parse_symbol_name(NrParser *p, NrStr *out); /* consumes @name */
/* Decimal or hex digits as a number; false if it does not fit. */
bool nr_token_u64(NrToken t, uint64_t *out);
bool nr_parse_int64(NrParser *p, int64_t *out); /* with sign */

/* ---- parse_file.c ------------------------------------------------------------------------------------------------ */

NrAlias *nr_parse_find_alias(NrParser *p, NrToken name); /* #name or !name; searches the rest of the file for #name */
/* The text of a resource's data, or NULL. The first call parses the file section {-# ... #-}. */
const NrToken *nr_parse_find_resource(NrParser *p, NrStr key);

/* ---- parse_type.c, parse_attr.c, parse_number.c, parse_dense.c, parse_affine.c, parse_loc.c ---------------------- */

NrType nr_parse_type_here(NrParser *p);
NrType nr_parse_type_or_dims(NrParser *p); /* nr_p_type_or_dims */
/* t, t, ... pushed to p->types; at least one. *out_count is their number. */
bool nr_parse_types(NrParser *p, size_t *out_count);
bool nr_parse_paren_types(NrParser *p, size_t *out_count);  /* (t, t) or () */
bool nr_parse_result_types(NrParser *p, size_t *out_count); /* t or (t, t) behind an arrow */
NrType nr_parse_function_type(NrParser *p);
bool nr_parse_is_type_word(NrStr word); /* i32, f32, index, tensor, ... */
/* 4x?x...x up to the element type; stops before the first token that is not a dim. */
bool nr_parse_dims(NrParser *p, int64_t *dims, uint32_t *rank, uint64_t *scalable);

/* type: the attribute's type if known, and then no `: type` follows; else NULL. */
NrAttr nr_parse_attr_here(NrParser *p, NrType type);
NrAttr nr_parse_attr_untyped(NrParser *p); /* a `:` after it is not part of the attribute */
NrAttr nr_parse_number(NrParser *p, NrType type);
/* {a = 1, b}: pushed to p->attrs; duplicates among the entries from `begin` on are errors. */
bool nr_parse_dict_entries(NrParser *p, size_t begin, int close);
NrAttr nr_parse_symbol(NrParser *p);
/* The text of the current token, #name or !name, with the <...> that follows it. */
bool nr_parse_opaque_text(NrParser *p, NrStr *out);
bool nr_parse_float_value(NrToken t, double *out);
/* The words of a number of any size, in scratch memory. False (reported) when it needs more than max_bits. */
bool nr_parse_wide_int(NrParser *p, NrToken t, size_t max_bits, uint64_t **out_words, size_t *out_count);
/* The number in t, perhaps negated, as the bits of an integer or index type; an error if it does not fit. */
bool nr_parse_int_words(NrParser *p, NrToken t, bool negative, NrType type, uint64_t **out_words, size_t *out_count);

NrAttr nr_parse_dense(NrParser *p, NrType type);
NrAttr nr_parse_dense_resource(NrParser *p, NrType type);
NrAttr nr_parse_sparse(NrParser *p, NrType type);
NrAttr nr_parse_array_attr(NrParser *p); /* array<i64: 1, 2> */

NrAttr nr_parse_affine(NrParser *p); /* (d0)[s0] -> (d0) or (d0)[s0] : (d0 >= 0) */
bool nr_parse_looks_affine(NrParser *p); /* at `(`: whether a map or set begins here, not a function type */
/* The composed map outer(inner(..)); NULL after reporting that they do not match or that it is too large. */
NrAttr nr_parse_compose(NrParser *p, const char *at, NrAttr outer, NrAttr inner);

NrLoc nr_parse_loc_body(NrParser *p);               /* the text between the parentheses of loc(...) */
bool nr_parse_trailing_loc(NrParser *p, NrLoc *io); /* optional loc(...) */

/* ---- parse_names.c ----------------------------------------------------------------------------------------------- */

NrName *nr_parse_name(NrParser *p, NrStr text);
/* Binds count values to a name and resolves forward references to them. first = NULL: the op failed to parse. */
bool nr_parse_bind(NrParser *p, NrName *name, NrValue *first, uint32_t count, const char *at);
/* type NULL: the value must be defined already. Returns NULL after an error. */
NrValue *nr_parse_use(NrParser *p, NrOperandRef ref, NrType type);
NrBlock *nr_parse_label_use(NrParser *p, NrToken t);
bool nr_parse_label_define(NrParser *p, NrToken t, NrBlock *block, NrBlock **out);

/* The scope of a region. An isolated region sees no values from outside and reports undefined values at its end. */
typedef struct NrScope {
  uint32_t scope, region;
  size_t bound, labels, forwards;
  bool isolated;
} NrScope;
NrScope nr_parse_scope_begin(NrParser *p, bool isolated);
bool nr_parse_scope_end(NrParser *p, NrScope scope);

/* ---- parse_op.c, parse_region.c, parse_format.c ------------------------------------------------------------------ */

/* One op with its results, appended to block. */
bool nr_parse_op(NrParser *p, NrBlock *block);
bool nr_parse_generic(NrParser *p, NrOpState *state); /* parse_generic.c: from after the name */
void nr_parse_sync(NrParser *p); /* call after a change of the stacks: the frame's state points into them */
NrStatus nr_parse_by_format(NrParser *p, NrOpState *state, const NrFormat *format);
/* Result types that are not in the text: from type variables, constraints with one type, or the .infer hook. */
bool nr_parse_infer_results(NrParser *p, NrOpState *state);
bool nr_parse_attr_dict(NrParser *p, NrOpState *state);  /* optional { ... } */
bool nr_parse_successor(NrParser *p, NrOpState *state);  /* ^bb or ^bb(%x, %y : t, t) or ^bb(%x : t, %y : t) */
bool nr_parse_operand(NrParser *p, NrOperandRef *out);
/* %a, %b into scratch memory; the list may be empty. */
bool nr_parse_operands(NrParser *p, NrOperandRef **out, size_t *out_count);
void nr_parse_add_empty_region(NrParser *p);
void nr_parse_add_segments(NrParser *p, NrOpState *state, const uint32_t *sizes, size_t count);
bool nr_parse_add_operand(NrParser *p, NrOperandRef ref, NrType type);
/* The one type that a constraint allows, or NULL. */
NrType nr_parse_only_type(NrContext *ctx, NrStr constraint);

/* { ... } as a region of the current op. keep_entry: an empty region gets an entry block. */
bool nr_parse_region(NrParser *p, const NrArgRef *args, size_t count, bool keep_entry);
/* Ops up to the closing brace or the end of the file. */
bool nr_parse_block_ops(NrParser *p, NrBlock *block);
/* After an error in an op that began at depth `braces`, `parens`: skips to the next op, label or closing brace. */
void nr_parse_recover(NrParser *p, const char *begin, int32_t braces, int32_t parens);

#endif
