/* model.h - an ONNX model as plain C structs, read from its file and checked.
 *
 *   bytes --decode.c--> protobuf-c's messages --model_read.c, tensor_read.c--> these structs
 *         --check.c--> checked names, order, opsets --inline_functions.c--> no calls of local functions
 *
 * Everything here lives in the model's arena, or in the bytes and files that the model maps, and dies with the model.
 * No other folder sees protobuf. Which inputs and attributes an op takes is checked by the importer. */
#ifndef NORIA_ONNX_READ_MODEL_H
#define NORIA_ONNX_READ_MODEL_H

#include "base/base.h"
#include "noria/exec_abi.h"

typedef struct NrOnnxModel NrOnnxModel;
typedef struct NrOnnxGraph NrOnnxGraph;
typedef struct NrOnnxFunction NrOnnxFunction;
typedef struct NrOnnxNode NrOnnxNode;
typedef struct NrOnnxAttr NrOnnxAttr;
typedef struct NrOnnxTensor NrOnnxTensor;
typedef struct NrOnnxType NrOnnxType;

/* Stated limits; a file beyond one is refused with NR_ERROR_LIMIT. */
enum {
  NR_ONNX_MAX_DEPTH = 300,            /* messages inside messages; one subgraph takes three */
  NR_ONNX_MAX_PARTS = 1 << 24,        /* messages and strings of a file */
  NR_ONNX_MAX_INLINED = 1 << 22,      /* nodes, inputs, outputs and attributes that inlining functions makes */
  NR_ONNX_MAX_OPSETS = 1024,          /* operator sets that a model or function imports */
  NR_ONNX_MAX_CALL_DEPTH = 128,       /* functions that call functions */
  NR_ONNX_MAX_SPARSE_BYTES = 1 << 30, /* a sparse tensor, once dense */
  NR_ONNX_MAX_ERRORS = 50,            /* errors that are listed; the rest is counted */
};

typedef enum NrOnnxDimKind { NR_ONNX_DIM_UNKNOWN, NR_ONNX_DIM_VALUE, NR_ONNX_DIM_SYMBOL } NrOnnxDimKind;

typedef struct NrOnnxDim {
  NrOnnxDimKind kind;
  int64_t value; /* VALUE: 0 or more */
  NrStr symbol;  /* SYMBOL: never empty */
} NrOnnxDim;

typedef enum NrOnnxTypeKind {
  NR_ONNX_TYPE_NONE, /* the model does not say */
  NR_ONNX_TYPE_TENSOR,
  NR_ONNX_TYPE_SPARSE,
  NR_ONNX_TYPE_SEQUENCE,
  NR_ONNX_TYPE_OPTIONAL,
  NR_ONNX_TYPE_MAP,
  NR_ONNX_TYPE_OPAQUE,
} NrOnnxTypeKind;

struct NrOnnxType {
  NrOnnxTypeKind kind;
  NoriaDType dtype;       /* TENSOR, SPARSE: element; MAP: key; UNDEFINED where the model does not say */
  bool has_shape;         /* TENSOR, SPARSE */
  size_t rank;            /* if has_shape */
  const NrOnnxDim *dims;
  const NrOnnxType *elem; /* SEQUENCE, OPTIONAL, MAP: never NULL, kind NONE where the model does not say */
};

/* A graph input or output, or a type that the model states for a value between. */
typedef struct NrOnnxValue {
  NrStr name;
  const NrOnnxType *type; /* never NULL */
} NrOnnxValue;

/* Always dense, row-major, laid out as exec_abi.h says: sub-byte elements are unpacked to one byte each (signed ones
 * sign-extended), booleans are 0 or 1. Sparse tensors have been made dense. */
struct NrOnnxTensor {
  NrStr name;
  NoriaDType dtype;
  size_t rank;
  const int64_t *dims;
  size_t count;         /* elements: the product of dims */
  size_t size;          /* bytes at data; 0 for strings */
  const void *data;     /* never NULL, but for strings; maybe a view into the file, so of any alignment */
  const NrStr *strings; /* NORIA_STRING: count elements */
};

/* Numbered as AttributeProto.AttributeType. A sparse tensor reads as TENSOR(S). */
typedef enum NrOnnxAttrType {
  NR_ONNX_ATTR_UNDEFINED = 0, /* only together with ref_attr_name */
  NR_ONNX_ATTR_FLOAT = 1,
  NR_ONNX_ATTR_INT = 2,
  NR_ONNX_ATTR_STRING = 3,
  NR_ONNX_ATTR_TENSOR = 4,
  NR_ONNX_ATTR_GRAPH = 5,
  NR_ONNX_ATTR_FLOATS = 6,
  NR_ONNX_ATTR_INTS = 7,
  NR_ONNX_ATTR_STRINGS = 8,
  NR_ONNX_ATTR_TENSORS = 9,
  NR_ONNX_ATTR_GRAPHS = 10,
  NR_ONNX_ATTR_TYPE = 13,
  NR_ONNX_ATTR_TYPES = 14,
} NrOnnxAttrType;

struct NrOnnxAttr {
  NrStr name;
  NrOnnxAttrType type;
  NrStr ref_attr_name; /* in function bodies: the function's attribute that gives the value; else empty */
  union {
    float f;
    int64_t i;
    NrStr s;
    const NrOnnxTensor *t; /* never NULL */
    NrOnnxGraph *g;        /* never NULL */
    const NrOnnxType *tp;  /* never NULL */
    const float *floats;
    const int64_t *ints;
    const NrStr *strings;
    const NrOnnxTensor *const *tensors;
    NrOnnxGraph *const *graphs;
    const NrOnnxType *const *types;
  };
  size_t count; /* of the lists */
};

struct NrOnnxNode {
  NrStr name; /* may be empty */
  NrStr op_type;
  NrStr domain; /* "" for ai.onnx, which is never spelled out here */
  NrStr overload;
  int64_t version; /* of the domain's operator set, by the model's or the function's imports; 0 = not imported,
                    * which only calls of local functions may be */
  size_t num_inputs, num_outputs; /* an absent optional one is the empty string */
  NrStr *inputs, *outputs;
  size_t num_attrs;
  NrOnnxAttr *attrs;
};

struct NrOnnxGraph {
  NrStr name;
  size_t num_nodes, num_inputs, num_outputs, num_value_infos, num_initializers;
  NrOnnxNode *nodes; /* each value is produced before it is used */
  NrOnnxValue *inputs, *outputs, *value_infos;
  NrOnnxTensor *initializers;
};

typedef struct NrOnnxOpset {
  NrStr domain; /* "" for ai.onnx */
  int64_t version;
} NrOnnxOpset;

struct NrOnnxFunction {
  NrStr name, domain, overload;
  const NrOnnxFunction *next_same_name; /* the next of the functions that share a name; see nr_onnx_find_function */
  size_t num_inputs, num_outputs, num_attrs, num_defaults, num_opsets, num_nodes, num_value_infos;
  NrStr *inputs, *outputs;
  NrStr *attrs;         /* names of attributes without a default */
  NrOnnxAttr *defaults; /* attributes with a default */
  NrOnnxOpset *opsets;
  NrOnnxNode *nodes;
  NrOnnxValue *value_infos;
};

typedef struct NrOnnxMetadata {
  NrStr key, value;
} NrOnnxMetadata;

struct NrOnnxModel {
  NrArena arena;
  int64_t ir_version, model_version;
  NrStr producer_name, producer_version, domain, doc_string;
  size_t num_opsets, num_functions, num_metadata;
  NrOnnxOpset *opsets;
  bool assumes_opset; /* the file imports no operator set of ai.onnx, and the newest was taken */
  NrOnnxFunction *functions;
  NrOnnxMetadata *metadata;
  NrOnnxGraph *graph;
  NrStrMap functions_by_name;     /* name -> first NrOnnxFunction */
  struct NrOnnxMapping *mappings; /* files that tensors point into; external_data.c */
  NrBuf bytes;                    /* the model file, where it could not be mapped */
};

/* Reads and checks the model at path ("-" = standard input). External data is looked for in the folder of path, and
 * only there. On failure *out_model is NULL and errors, which may be NULL, has one line for each thing wrong, without a
 * newline after the last; the status is that of the first. The file must not change while the model lives. */
NR_WARN_UNUSED NrStatus nr_onnx_read_file(const char *path, NrOnnxModel **out_model, NrBuf *errors);

/* The same from memory. data is borrowed: it must outlive the model, whose tensors may point into it. External data is
 * looked for in folder; where that is NULL it is refused. */
NR_WARN_UNUSED NrStatus nr_onnx_read_memory(const void *data, size_t size, const char *folder, NrOnnxModel **out_model,
                                            NrBuf *errors);

/* File i of those that the model maps: its own and those with external data. False behind the last one. */
typedef struct NrOnnxFile {
  NrStr path; /* the real one, but for the model's own */
  const void *data;
  size_t size;
} NrOnnxFile;
bool nr_onnx_model_file(const NrOnnxModel *model, size_t i, NrOnnxFile *out);

/* Lets the pages of mapped files leave memory; what is read again comes back from the files. */
void nr_onnx_forget_pages(const NrOnnxModel *model);

/* Whether data lies in a file with external data. */
bool nr_onnx_is_external(const NrOnnxModel *model, const void *data);

void nr_onnx_model_destroy(NrOnnxModel *model); /* NULL is fine */

/* Replaces every call of a local function by its body, with attributes bound, names made unique and each node keeping
 * the opset version that its function imports. What an absent optional input feeds becomes absent. After an error the
 * model is good for nr_onnx_model_destroy only. */
NR_WARN_UNUSED NrStatus nr_onnx_inline_functions(NrOnnxModel *model, NrBuf *errors);

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Opset version of domain for a node of function, or of the model's graphs when function is NULL; 0 = not imported. */
int64_t nr_onnx_opset_version(const NrOnnxModel *model, const NrOnnxFunction *function, NrStr domain);
/* The local function that node calls, or NULL. */
const NrOnnxFunction *nr_onnx_find_function(const NrOnnxModel *model, const NrOnnxNode *node);

const NrOnnxAttr *nr_onnx_attr(const NrOnnxNode *node, const char *name); /* NULL when absent */
/* The value of an attribute, or the default when it is absent or of another type. */
int64_t nr_onnx_attr_int(const NrOnnxNode *node, const char *name, int64_t fallback);
float nr_onnx_attr_float(const NrOnnxNode *node, const char *name, float fallback);
NrStr nr_onnx_attr_string(const NrOnnxNode *node, const char *name, const char *fallback);

/* Input or output i, or the empty string where the node has none. */
NrStr nr_onnx_input(const NrOnnxNode *node, size_t i);
NrStr nr_onnx_output(const NrOnnxNode *node, size_t i);

/* Element i of a tensor of integers (of any width and sign) or booleans; false for other types and beyond int64. */
bool nr_onnx_tensor_int(const NrOnnxTensor *tensor, size_t i, int64_t *out);

/* Bytes of one element in memory; 0 for strings and for what is not a type. */
size_t nr_onnx_dtype_size(NoriaDType dtype);

/* "node 'n' (Add)", or "node 'y' (Add)" by the first output of a node without a name. */
void nr_onnx_node_label(NrBuf *out, const NrOnnxNode *node);

#endif
