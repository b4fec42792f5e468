"""Attention, rotary embeddings, linear attention, losses: what random draws do not reach, by NumPy, and errors."""
import numpy as np
import pytest

from ops import Batch, fails, interpreted

F = np.float32
WAYS = {"compiled": lambda: None, "interpreted": interpreted}
RANDOM = np.random.default_rng(5)


@pytest.fixture(params=WAYS)
def options(request):
    return WAYS[request.param]()


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(F)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_queries_that_see_nothing_give_zeros(options):
    q, k, v = floats(1, 1, 2, 3), floats(1, 1, 3, 3), floats(1, 1, 3, 2)
    k[0, 0, 0] = np.inf  # a score that no bias can hide
    mask = np.array([[False, False, False], [False, True, True]])
    scores = (q @ k[:, :, 1:].swapaxes(2, 3)) / np.sqrt(F(3))
    want = np.concatenate([np.zeros((1, 1, 1, 2), F), (softmax(scores) @ v[:, :, 1:])[:, :, 1:]], 2)
    batch = Batch(opset=24)
    batch.add("Attention", [q, np.where(np.isinf(k), F(9), k), v, mask], want)
    batch.check(options=options)
    batch = Batch(opset=24)
    batch.add("Attention", [q[:, :, :1], k, v, mask[:1]], np.zeros((1, 1, 1, 2), F))
    batch.check(options=options)


def test_scores_before_the_cap(options):
    """Output 3 is the product itself in mode 0, also with a cap."""
    q, k, v = floats(1, 2, 2, 4), floats(1, 2, 3, 4), floats(1, 2, 3, 4)
    raw = q @ k.swapaxes(2, 3) / F(2)
    present = [k, v]
    batch = Batch(opset=23)
    capped = 2 * np.tanh(raw / 2)
    batch.add("Attention", [q, k, v], [softmax(capped) @ v, *present, raw], softcap=2.)
    batch.check(options=options)


@pytest.mark.parametrize("symbolic", [False, True])
def test_attention_errors(options, symbolic):
    q, k, v = floats(2, 4, 2, 3), floats(2, 2, 5, 3), floats(2, 2, 5, 3)

    def said(*inputs, opset=25, **attrs):
        return fails("Attention", inputs, opset, symbolic, options, **attrs)

    assert "V" in said(q, k, v[:, :, :4]) and "4" in said(q, k, v[:, :, :4])
    assert "K" in said(q, k[..., :2], v)
    assert "heads" in said(q[:, :3], k, v)
    assert "attn_mask" in said(q, k, v, np.ones((2, 6), bool))
    assert "attn_mask" in said(q, k, v, np.ones((3, 1, 2, 5), F))
    assert "must be from 0 to 3" in said(q, k, v, qk_matmul_output_mode=4)
    assert "left_window_size is -2" in said(q, k, v, left_window_size=-2)
    assert "softmax_precision 7" in said(q, k, v, softmax_precision=7)
    assert "rank 3" in said(q, k, v, q_num_heads=4, kv_num_heads=2)
    three = [x.transpose(0, 2, 1, 3).reshape(2, x.shape[2], -1) for x in (q, k, v)]
    assert "number of heads" in said(*three)
    assert "not positive" in said(*three, q_num_heads=0, kv_num_heads=2)
    assert "dim 2 of Q" in said(*three, q_num_heads=8, kv_num_heads=2)


@pytest.mark.parametrize("symbolic", [False, True])
def test_rotary_errors(options, symbolic):
    x, cache = floats(2, 3, 4, 6), floats(5, 3)

    def said(x, cos, sin, *ids, **attrs):
        return fails("RotaryEmbedding", [x, cos, sin, *ids], 23, symbolic, options, **attrs)

    ids = np.zeros((2, 4), np.int64)
    assert "position 5 is out of range for caches of 5" in said(x, cache, cache, ids + 5)
    assert "position -1 is out of range" in said(x, cache, cache, ids - 1)
    assert "sin_cache" in said(x, cache, floats(4, 3), ids)
    assert "cos_cache" in said(x, floats(5, 2), cache, ids)
    assert "multiple of 2" in said(x, cache, cache, ids, rotary_embedding_dim=5)
    assert "rotated" in said(x, floats(5, 4), floats(5, 4), ids, rotary_embedding_dim=8)
    assert "num_heads" in said(x[0], cache, cache, ids)


@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize("symbolic", [False, True])
def test_loss_errors(options, symbolic, op):
    x, target = floats(3, 4), np.array([0, 1, 3])

    def said(*inputs, **attrs):
        return fails(op, inputs, 13, symbolic, options, **attrs)

    assert "the target is class 4 of 4" in said(x, target + 1)
    assert "the target is class -1 of 4" in said(x, target - 1)
    assert "the target is class -1 of 4" in said(x, target - 1, ignore_index=2)
    assert "the target" in said(x, target[:2])
    assert "reduction is 'max'" in said(x, target, reduction="max")
    assert "3" in said(x, target, floats(3))
    assert "nothing to read" in said(floats(3, 0), target)


def test_loss_of_ignored_samples(options):
    """The mean is over the samples that are not ignored, also for index -1 without weights."""
    x = floats(3, 4)
    batch = Batch(opset=13)
    batch.add("NegativeLogLikelihoodLoss", [x, np.array([-1, 1, 3])], F(-(x[1, 1] + x[2, 3]) / 2), ignore_index=-1)
    batch.check(options=options)


@pytest.mark.parametrize("symbolic", [False, True])
def test_linear_attention_errors(options, symbolic):
    q, k, v = floats(1, 2, 6), floats(1, 2, 6), floats(1, 2, 4)

    def said(*inputs, **attrs):
        return fails("LinearAttention", inputs, 27, symbolic, options, **{"q_num_heads": 2, "kv_num_heads": 2} | attrs)

    assert "update_rule 'x'" in said(q, k, v, update_rule="x")
    assert "needs input decay" in said(q, k, v)
    assert "no positive multiple" in said(q, k, v, update_rule="linear", q_num_heads=3)
    assert "key" in said(q, k[:, :1], v, update_rule="linear")
    assert "past_state" in said(q, k, v, floats(1, 2, 3, 3), update_rule="linear")
    assert "dim 2 of query" in said(floats(1, 2, 7), k, v, update_rule="linear")


@pytest.mark.parametrize("symbolic", [False, True])
def test_causal_conv_errors(options, symbolic):
    x, w = floats(2, 3, 4), floats(3, 1, 2)

    def said(*inputs, **attrs):
        return fails("CausalConvWithState", inputs, 27, symbolic, options, **attrs)

    assert "activation 'relu'" in said(x, w, activation="relu")
    assert "weight" in said(x, floats(2, 1, 2))
    assert "dim 2 of weight is 0" in said(x, floats(3, 1, 0))
    assert "bias" in said(x, w, floats(2))
    assert "past_state" in said(x, w, floats(3), floats(2, 3, 2))


@pytest.mark.parametrize("symbolic", [False, True])
def test_fused_errors(options, symbolic):
    def said(op, *inputs, **attrs):
        return fails(f"com.microsoft.{op}", inputs, 17, symbolic, options, **attrs)

    x, row = floats(2, 3, 4), floats(4)
    assert "activation 'Erf'" in said("FusedGemm", floats(2, 3), floats(3, 4), activation="Erf")
    assert "two limits" in said("FusedConv", floats(1, 1, 3), floats(1, 1, 1), activation="Clip")
    assert "multiple of 2" in said("BiasSplitGelu", floats(1, 2, 3), floats(3))
    assert "skip" in said("SkipLayerNormalization", x, floats(2, 2, 4), row)
    assert "num_heads is 0" in said("MultiHeadAttention", x, x, x, num_heads=0)
    assert "key is missing" in said("MultiHeadAttention", x, num_heads=2)
    assert "bias" in said("MultiHeadAttention", x, x, x, floats(11), num_heads=2)
    assert "key_padding_mask" in said("MultiHeadAttention", x, x, x, floats(12), np.ones((2, 2), np.int32), num_heads=2)
    assert "neither" in said("MultiHeadAttention", x, x, x, floats(12), np.ones(7, np.int32), num_heads=2)
    past = floats(2, 2, 4, 2)
    assert "past_sequence_length is -1" in said("MultiHeadAttention", x, x, x, None, None, None, past, past, np.int32(-1),
                                                num_heads=2)
    assert "5 keys do not fit a cache of 4" in said("MultiHeadAttention", x, x, x, None, None, None, past, past,
                                                    np.int32(2), num_heads=2)
    assert "past_sequence_length needs" in said("MultiHeadAttention", x, x, x, *[None] * 5, np.int32(2), num_heads=2)
    assert "weights" in said("Attention", x, floats(5, 12), num_heads=2)
    q, one = (x * 10).astype(np.int8), np.float32(1)
    weights = np.ones((4, 12), np.int8)
    assert "weights" in said("QAttention", q, weights[1:], floats(12), one, one, num_heads=2)
    assert "input_scale" in said("QAttention", q, weights, floats(12), floats(3), one, num_heads=2)
    assert "input_zero_point" in said("QAttention", q, weights, floats(12), one, one, None, q[0, :, 0], num_heads=2)
    assert "b_scale" in said("QAttention", q, weights, floats(12), one, floats(11), num_heads=2)
    assert "bias" in said("QAttention", q, weights, floats(11), one, one, num_heads=2)
    assert "out of range" in said("RotaryEmbedding", x[:, None], np.array([3]), floats(5, 2), floats(5, 2))
    ids = np.array([[0, 7]], np.int32)
    table = floats(7, 4)
    assert "index 7 is out of range" in said("EmbedLayerNormalization", ids, ids * 0, table, table, table, row, row)


@pytest.mark.parametrize("symbolic", [False, True])
def test_grouped_errors(options, symbolic):
    def said(*inputs, **attrs):
        return fails("com.microsoft.GroupQueryAttention", inputs, 17, symbolic, options,
                     **{"num_heads": 2, "kv_num_heads": 1} | attrs)

    def lengths(*values):
        return np.array(values, np.int32)

    q, k, past = floats(2, 3, 16), floats(2, 3, 8), floats(2, 1, 4, 8)
    cache = [floats(6, 4)] * 2
    step, new = (floats(2, 1, 16), floats(2, 1, 8), floats(2, 1, 8)), lengths(3, 2)
    assert "num_heads is 2, which is not a multiple of kv_num_heads, 3" in said(q, k, k, None, None, lengths(2, 2), lengths(3), kv_num_heads=3)
    assert "kv_num_heads is 0" in said(q, k, k, None, None, lengths(2, 2), lengths(3), kv_num_heads=0)
    assert "key and value belong together" in said(q, k, None, None, None, lengths(2, 2), lengths(3))
    assert "past_key and past_value belong together" in said(*step, past, None, new, lengths(4))
    assert "total_sequence_length" in said(q, k, k, None, None, lengths(2, 2), lengths(2))
    assert "seqlens_k is 7, but total_sequence_length 4" in said(*step, past, past, lengths(3, 7), lengths(4))
    assert "seqlens_k is -1" in said(*step, past, past, lengths(3, -1), lengths(4))
    assert "6 keys are past, of a cache of 4" in said(*step, past, past, lengths(6, 2), lengths(7))
    assert "seqlens_k" in said(*step, past, past, lengths(3), lengths(4))
    none = floats(2, 0, 16), floats(2, 0, 8), floats(2, 0, 8)
    assert "dim 2 of key is empty" in said(*none, past, past, new, lengths(4))
    assert "do_rotary needs" in said(*step, past, past, new, lengths(4), do_rotary=1)
    assert "position 9 is out of range for caches of 6" in said(*step, past, past, new, lengths(4), *cache,
                                                               np.array([[3], [9]]), do_rotary=1)
    assert "sliding_window_cache needs local_window_size" in said(*step, past, past, new, lengths(4),
                                                                  sliding_window_cache=1)
    assert "sliding_window_cache needs past_key" in said(q, k, k, None, None, lengths(2, 2), lengths(3),
                                                         sliding_window_cache=1, local_window_size=2)
    assert "local_window_size is 5, more than the 4 rows of the cache" in said(
        *step, past, past, new, lengths(4), sliding_window_cache=1, local_window_size=5)
    assert "qk_output is 3" in said(*step, past, past, new, lengths(4), qk_output=3)
    scales = [*[None] * 5, floats(1), floats(1)]
    quantised = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR", "kv_cache_bit_width": 8}
    bytes_ = np.zeros((2, 1, 4, 8), np.int8)
    assert "past_key is float32, not int8" in said(*step, past, past, new, lengths(4), *scales, **quantised)
    assert "past_key is int8, not float32" in said(*step, bytes_, bytes_, new, lengths(4))
    assert "past_key is int8, not uint8" in said(*step, bytes_, bytes_, new, lengths(4), *scales,
                                                 **quantised | {"kv_cache_bit_width": 4})
    assert "k_scale is missing" in said(*step, bytes_, bytes_, new, lengths(4), **quantised)
    assert "k_scale" in said(*step, bytes_, bytes_, new, lengths(4), *[None] * 5, floats(3), floats(1), **quantised)
    assert "k_quant_type is 'PER_ROW'" in said(*step, bytes_, bytes_, new, lengths(4), *scales,
                                               **quantised | {"k_quant_type": "PER_ROW"})
    assert "both be quantised" in said(*step, bytes_, bytes_, new, lengths(4), *scales,
                                       **quantised | {"v_quant_type": "NONE"})
    assert "kv_cache_bit_width is 3" in said(*step, bytes_, bytes_, new, lengths(4), *scales,
                                             **quantised | {"kv_cache_bit_width": 3})
    assert "local_window_size needs causal" in said(*step, past, past, new, lengths(4), causal=0, local_window_size=2)
    assert "attention_bias" in said(*step, past, past, new, lengths(4), None, None, None, floats(2, 1, 1, 5))
    assert "head_sink" in said(*step, past, past, new, lengths(4), None, None, None, None, floats(3))
