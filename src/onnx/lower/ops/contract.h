/* contract.h - sums of products, for the lowerings of MatMul, Gemm, Conv and the recurrent ops. */
#ifndef NORIA_ONNX_LOWER_OPS_CONTRACT_H
#define NORIA_ONNX_LOWER_OPS_CONTRACT_H

#include "onnx/lower/core/body.h"

/* init + sum of a * b. Each operand's dims are named by letters ("mk", "kn", "mn"); letters of the output are parallel,
 * the others are summed over; `.` is a dim of size 1. init has the output's shape and the accumulator's type. */
NrValue *nr_lower_sum_products(NrLower *l, NrValue *a, const char *a_dims, NrValue *b, const char *b_dims,
                               const char *out_dims, NrValue *init);
/* Which integer factors are unsigned, where they are narrower than what they are summed in. */
typedef struct NrSigns {
  bool a_unsigned, b_unsigned;
} NrSigns;
NrValue *nr_lower_sum_integers(NrLower *l, NrValue *a, const char *a_dims, NrValue *b, const char *b_dims,
                               const char *out_dims, NrValue *init, NrSigns signs);
/* ---- sums of products of bytes (by_four.c) ---- */

/* Whether both are tensors of 8-bit integers. */
bool nr_lower_is_of_bytes(const NrValue *a, const NrValue *b);
/* x with four elements of the sum side by side in a last dim of its own, 0 behind the end. Dims are named as above;
 * they come in the order of `order`, in which letter `sum` is that of the fours. */
NrValue *nr_lower_by_four(NrLower *l, NrValue *x, const char *dims, char sum, const char *order);
NrDim nr_lower_fours(NrLower *l, NrDim size); /* how many fours hold so many elements */
/* The place of element `in` of a four, both index values. Behind the end it is another one; *out_inside: whether it is
 * not, NULL where that cannot be. */
NrValue *nr_lower_place_in_fours(NrLower *l, NrValue *four, NrValue *in, NrDim size, NrValue **out_inside);

/* acc + a * b of args a, b, acc; user: NrSigns or NULL. Narrow factors are widened to the type of acc. */
void nr_multiply_add_body(NrLower *l, NrValue *const *args, NrValue **results, void *user);
/* Gemm and Conv of the node's inputs. */
NrStatus nr_lower_gemm_of(NrLower *l, NrValue **out);
NrStatus nr_lower_conv_of(NrLower *l, NrValue **out);
NrValue *nr_lower_zeros(NrLower *l, const NrShape *shape, NrType elem);
NrValue *nr_lower_sum(NrLower *l, NrValue *a, NrValue *b);               /* a + b, broadcast */

/* A product of matrices with batch dims as numpy.matmul has it, between its shapes and its sum. */
typedef struct NrMatMul {
  NrValue *a, *b;                     /* vectors as matrices; where dims may have to be stretched, they are */
  NrShape out, result;                /* [batch.., m, n], and the same without the dims that were added to vectors */
  NrDim k;
  char a_dims[NORIA_MAX_RANK + 1], b_dims[NORIA_MAX_RANK + 1], out_dims[NORIA_MAX_RANK + 1];
} NrMatMul;
/* Checks the shapes. */
NrStatus nr_lower_matmul_shapes(NrLower *l, NrValue *a, NrValue *b, NrMatMul *out);
/* The product in shape `out`, summed in elements of type acc. */
NrValue *nr_lower_matmul_sum(NrLower *l, const NrMatMul *m, NrType acc, NrSigns signs);

/* Strides, dilations and pads of a convolution or pooling over `spatial` dims, from the node's attributes. */
typedef struct NrWindow {
  size_t spatial;
  NrDim size[NORIA_MAX_RANK];      /* of the kernel */
  int64_t stride[NORIA_MAX_RANK], dilation[NORIA_MAX_RANK];
  NrDim begin[NORIA_MAX_RANK], end[NORIA_MAX_RANK]; /* padding */
  NrDim out[NORIA_MAX_RANK];       /* positions */
} NrWindow;
/* x: [N, C, spatial..]. size is set by the caller. Reads strides, dilations, pads, auto_pad, ceil_mode. */
NrStatus nr_lower_window(NrLower *l, NrValue *x, NrWindow *w);

/* The `count` integers of a window attribute, none below min; all `fallback` when the attribute is missing. False after
 * an error. */
bool nr_lower_window_list(NrLower *l, const char *name, size_t count, int64_t fallback, int64_t min, int64_t *out);

/* x within its padding, if none is known to be negative; w has none then. Else, out of bounds, index 0 is read: so x
 * must not be empty where the result has elements. padding: NULL for 0. */
NrValue *nr_lower_padded(NrLower *l, NrValue *x, NrValue *padding, NrWindow *w, const NrShape *result);

/* Sets w->size to the spatial dims of kernel k, checked to be positive and to agree with kernel_shape. */
bool nr_lower_window_kernel(NrLower *l, NrValue *k, NrWindow *w);

/* A convolution as a sum of products, from attributes group, strides, pads and so on. */
typedef struct NrConv {
  size_t spatial;
  NrDim groups, per_group, depth; /* depth: elements that are summed for one */
  NrDim positions;                /* of windows, in one dim */
  NrShape out, result;            /* [batch, groups, per group, positions..], and with the channels in one dim */
  NrValue *windows;               /* under the kernel, by windows_dims: n batch, g group, a.. positions, q depth */
  NrValue *kernel;                /* [groups, per group, depth] */
  char windows_dims[NORIA_MAX_RANK + 4], out_dims[NORIA_MAX_RANK + 4];
  bool by_four;                   /* bytes: windows are [batch, groups, fours of the depth, positions, 4], with all
                                     positions in one dim, as in `out` */
  bool direct;                    /* no windows: each sum reads x, within its padding, under the window */
  bool by_channels;               /* no windows: sums of a block of channels side by side read x under the window. `out`
                                     is [batch, blocks, positions.., block], kernel [blocks, channels, size.., block] */
  NrValue *x, *padding;           /* direct, by_channels; padding: the scalar out of bounds, or NULL */
  NrWindow window;
} NrConv;
/* Checks the shapes. padding: the scalar out of bounds, NULL for 0. */
NrStatus nr_lower_conv_windows(NrLower *l, NrValue *x, NrValue *k, NrValue *padding, NrConv *out);
/* The same with groups and window given; each is of x, [N, C, spatial..], and of k, [M, C / groups, size..]. */
NrStatus nr_lower_conv_under(NrLower *l, NrValue *x, NrValue *k, NrDim groups, NrWindow w, NrValue *padding,
                             NrConv *out);
/* init plus the products, in shape `out`. */
NrValue *nr_lower_conv_sum(NrLower *l, const NrConv *c, NrValue *init, NrSigns signs);

/* A convolution by_channels (conv_by_channels.c). */
bool nr_lower_conv_takes_channels(const NrValue *x, const NrValue *k, int64_t groups, const NrWindow *w);
void nr_lower_conv_by_channels(NrLower *l, NrValue *k, NrConv *c); /* sets what differs: out and kernel */
NrValue *nr_lower_conv_channels_sum(NrLower *l, const NrConv *c, NrValue *init);
NrValue *nr_lower_conv_channels_result(NrLower *l, const NrConv *c, NrValue *sum, NrValue *bias); /* shape `result` */

/* The columns x, [batch, channels * kernel elements, positions], summed into an image [batch, channels, spatial..], in
 * the wide type: each element where its kernel element stands at its position. w->out are the positions; what is
 * outside of the image is dropped. name: what the node calls x, which must not be empty. */
NrValue *nr_lower_sum_columns(NrLower *l, const char *name, NrValue *x, const NrWindow *w, const NrShape *image);

/* The mean under each window of the node's kernel_shape and so on, at least f32; NULL after an error. */
NrValue *nr_lower_average_over_windows(NrLower *l, NrValue *x);

#endif
