/* header.c - the C header of a compiled module. */
#include <ctype.h>

#include "codegen/codegen.h"
#include "codegen/value_info.h"

/* The C type of an element; for strings and float formats that C lacks, a description of the memory. */
static const char *c_type(int64_t dtype) {
  switch (dtype) {
  case NORIA_F32: return "float";
  case NORIA_F64: return "double";
  case NORIA_I8:
  case NORIA_I4:
  case NORIA_I2: return "int8_t";
  case NORIA_I16: return "int16_t";
  case NORIA_I32: return "int32_t";
  case NORIA_I64: return "int64_t";
  case NORIA_U16: return "uint16_t";
  case NORIA_U32: return "uint32_t";
  case NORIA_U64: return "uint64_t";
  case NORIA_BOOL: return "bool in a byte";
  case NORIA_F16: return "IEEE half in uint16_t";
  case NORIA_BF16: return "bfloat16 in uint16_t";
  case NORIA_C64: return "float _Complex";
  case NORIA_C128: return "double _Complex";
  case NORIA_STRING: return "string";
  default: return "uint8_t";
  }
}

/* Writes text as an upper-case C identifier. */
static void put_identifier(NrBuf *out, NrStr text) {
  if (!text.size || isdigit((unsigned char)text.data[0])) nr_buf_puts(out, "MODEL");
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    nr_buf_putc(out, isalnum(c) && c < 128 ? (char)toupper(c) : '_');
  }
}

/* Writes text inside a C comment; replaces characters that could end the comment. */
static void put_comment(NrBuf *out, NrStr text) {
  for (size_t i = 0; i < text.size; i++) {
    bool bad = (unsigned char)text.data[i] < ' ' || (i && text.data[i - 1] == '*' && text.data[i] == '/');
    nr_buf_putc(out, bad ? '_' : text.data[i]);
  }
}

static void put_shape(NrBuf *out, const NrValueInfo *info) {
  for (size_t i = 0; i < info->rank; i++) {
    NrStr name = nr_value_info_dim_name(info, i);
    if (info->dims[i] >= 0) nr_buf_printf(out, "[%lld]", (long long)info->dims[i]);
    else if (name.size) nr_buf_puts(out, "["), put_comment(out, name), nr_buf_puts(out, "]");
    else nr_buf_puts(out, "[?]");
  }
}

static void put_values(NrBuf *out, const char *title, NrAttr list) {
  nr_buf_printf(out, " * %s\n", title);
  for (size_t i = 0; list && list->kind == NR_ATTR_ARRAY && i < list->size; i++) {
    NrValueInfo info = nr_value_info(list->items[i]);
    nr_buf_printf(out, " *   %zu  ", i);
    put_comment(out, info.name);
    nr_buf_puts(out, ": ");
    if (info.kind == NORIA_KIND_OPTIONAL) nr_buf_puts(out, "optional ");
    if (info.kind == NORIA_KIND_SEQUENCE || info.item_kind == NORIA_KIND_SEQUENCE) nr_buf_puts(out, "sequence of ");
    if (info.key_dtype) nr_buf_printf(out, "map from %s to ", c_type(info.key_dtype));
    nr_buf_puts(out, c_type(info.dtype));
    if (info.kind == NORIA_KIND_TENSOR && info.any_rank) nr_buf_puts(out, "[...]");
    put_shape(out, &info);
    nr_buf_putc(out, '\n');
  }
}

static void put_indices(NrBuf *out, NrStr model, const char *what, NrAttr list) {
  size_t count = list && list->kind == NR_ATTR_ARRAY ? list->size : 0;
  nr_buf_puts(out, "#define ");
  put_identifier(out, model);
  nr_buf_printf(out, "_NUM_%sS %zu\n", what, count);
}

static NrOp *find_entry(NrModule *module) {
  NrBlock *body = nr_op_only_body(module->op);
  for (NrOp *op = body ? body->first : NULL; op; op = op->next)
    if (nr_op_attr(op, NR_A_noria_entry)) return op;
  return NULL;
}

void nr_codegen_header(NrModule *module, NrStr name, NrBuf *out) {
  NrOp *entry = find_entry(module);
  NrAttr inputs = entry ? nr_op_attr(entry, NR_A_noria_inputs) : NULL;
  NrAttr outputs = entry ? nr_op_attr(entry, NR_A_noria_outputs) : NULL;
  nr_buf_puts(out, "/* A model compiled by Noria");
  if (name.size) nr_buf_puts(out, ": "), put_comment(out, name);
  nr_buf_puts(out, ".\n *\n");
  put_values(out, "Inputs", inputs);
  put_values(out, "Outputs", outputs);
  nr_buf_puts(out,
              " *\n * Run it with noria/runtime.h:\n"
              " *   noria_program_create(&noria_module, NULL, &program, &error);\n"
              " *   noria_program_run(program, inputs, num_inputs, outputs, num_outputs, NULL, &error); */\n#ifndef ");
  put_identifier(out, name);
  nr_buf_puts(out, "_NORIA_H\n#define ");
  put_identifier(out, name);
  nr_buf_puts(out, "_NORIA_H\n\n#include <noria/exec_abi.h>\n\n");
  put_indices(out, name, "INPUT", inputs);
  put_indices(out, name, "OUTPUT", outputs);
  nr_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nextern const NoriaModule noria_module;\n"
                   "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
