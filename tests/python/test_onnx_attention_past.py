"""Attention of com.microsoft with what ONNX Runtime runs on GPUs only: a cache that is shared by all steps, norms of
queries and keys, and a cache of float8. The answers are NumPy's, by the text of the schemas (ContribOperators.md)."""
import ml_dtypes
import numpy as np
import pytest
from ops import Batch, fails

F = np.float32
E4M3 = ml_dtypes.float8_e4m3fn


@pytest.fixture
def floats():
    random = np.random.default_rng(9)
    return lambda *shape: random.standard_normal(shape).astype(F)


def by_heads(x, heads):
    """[batch, positions, heads * size] as [batch, heads, positions, size]."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def joined(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def attend(q, k, v, low=0):
    """Softmax of the scaled products plus low, times the values; fewer heads of keys serve several of queries."""
    k, v = (np.repeat(x.astype(np.float64), q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]) + low
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ v).astype(F)


def causal(queries, keys):
    """-inf where key j is behind query i, which is position keys - queries + i."""
    return np.where(np.arange(keys) > keys - queries + np.arange(queries)[:, None], -np.inf, 0)


@pytest.mark.parametrize("past,new", [(0, 3), (2, 1), (3, 2)])
@pytest.mark.parametrize("directed", [0, 1])
def test_attention_with_a_shared_cache(floats, past, new, directed):
    """The new keys and values stand behind the first `past` ones; what is behind them stays as it is."""
    batch, width, heads, size, room = 2, 5, 2, 4, 6
    x, w, b = floats(batch, new, width), floats(width, 3 * heads * size), floats(3 * heads * size)
    cache = floats(2, batch, heads, room, size)
    q, k, v = (by_heads(part, heads) for part in np.split(x @ w + b, 3, -1))
    present = cache.copy()
    present[0, :, :, past:past + new], present[1, :, :, past:past + new] = k, v
    total = past + new
    mask = np.ones((batch, total), np.int32)
    mask[1, 0] = directed  # a masked key where no order masks any
    low = (1 - mask)[:, None, None] * -10000. + (causal(new, total) if directed else 0)
    want = joined(attend(q, present[0, :, :, :total], present[1, :, :, :total], low))
    batch_of = Batch(opset=17, rtol=1e-4, atol=1e-5)
    for length in (np.array(past, np.int32), np.array([past], np.int32)):
        batch_of.add("com.microsoft.Attention", [x, w, b, mask, cache, None, length], [want, present], num_heads=heads,
                     past_present_share_buffer=1, unidirectional=directed)
    batch_of.check()


@pytest.mark.parametrize("past", [0, 3])
def test_beams(floats, past):
    """Keys of earlier steps are those of the beam that a beam comes from; several queries at once look at each other."""
    samples, beams, heads, size, of_v, room, new = 2, 3, 2, 4, 3, 6, 2
    rows = samples * beams
    random = np.random.default_rng(past)
    from_beam = random.integers(0, beams, (samples, beams, room)).astype(np.int32)
    q, k, v = floats(rows, new, heads * size), floats(rows, new, heads * size), floats(rows, new, heads * of_v)
    caches = [floats(rows, heads, room, n) for n in (size, of_v)]
    seen, presents = [], []
    for cache, x in zip(caches, (k, v)):
        present = cache.copy()
        present[:, :, past:past + new] = by_heads(x, heads)
        presents.append(present)
        seen.append(present[:, :, :past + new].copy())
        for sample in range(samples):
            for beam in range(beams):
                for t in range(past):
                    seen[-1][sample * beams + beam, :, t] = present[sample * beams + from_beam[sample, beam, t], :, t]
    want = joined(attend(by_heads(q, heads), *seen))
    batch_of = Batch(opset=17, rtol=1e-4, atol=1e-5)
    batch_of.add("com.microsoft.MultiHeadAttention", [q, k, v, None, None, None, *caches, np.array([past], np.int32), from_beam],
                 [want, *presents], num_heads=heads)
    batch_of.check()


def normed(x, weight, epsilon):
    return x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + epsilon) * weight


def rotated(x, cos, sin, first):
    """Halves of a row are rotated by the angles of the row's position."""
    a, b = np.split(x, 2, -1)
    c, s = (t[first:first + x.shape[2]] for t in (cos, sin))
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


@pytest.mark.parametrize("attrs", [{}, {"qk_norm_epsilon": .25}, {"do_rotary": 1}], ids=str)
def test_norms_come_before_the_rotation(floats, attrs):
    batch, heads, of_keys, size, past, new = 2, 4, 2, 8, 3, 1
    q, k, v = floats(batch, new, heads * size), *(floats(batch, new, of_keys * size) for _ in range(2))
    caches = [floats(batch, of_keys, past, size) for _ in range(2)]
    weights = floats(2, size)
    cos, sin = floats(6, size // 2), floats(6, size // 2)
    parts = []
    for x, n, weight in ((q, heads, weights[0]), (k, of_keys, weights[1])):
        y = normed(by_heads(x, n), weight, attrs.get("qk_norm_epsilon", 1e-6))
        parts.append(rotated(y, cos, sin, past) if attrs.get("do_rotary") else y)
    keys = np.concatenate([caches[0], parts[1]], 2).astype(F)
    values = np.concatenate([caches[1], by_heads(v, of_keys)], 2)
    want = [joined(attend(parts[0], keys, values)), keys, values]
    angles = [cos, sin] if attrs.get("do_rotary") else [None, None]
    ends = [np.full(batch, past + new - 1, np.int32), np.array([past + new], np.int32)]
    batch_of = Batch(opset=17, rtol=1e-4, atol=1e-5)
    batch_of.add("com.microsoft.GroupQueryAttention", [q, k, v, *caches, *ends, *angles, *[None] * 5, *weights], want,
                 num_heads=heads, kv_num_heads=of_keys, **attrs)
    batch_of.check()


@pytest.mark.parametrize("kind,shape", [("PER_TENSOR", (1,)), ("PER_CHANNEL", (1, 2, 1, 8))])
def test_a_cache_of_float8(floats, kind, shape):
    """A value is stored as the nearest float8 of value / scale, the greatest one where that is too large."""
    batch, heads, of_keys, size, past, new = 2, 4, 2, 8, 3, 1
    q, k, v = floats(batch, new, heads * size), *(floats(batch, new, of_keys * size) for _ in range(2))
    k[0, 0, 0] = 9.  # too large for its scale
    scales = [np.full(shape, s, F) * np.linspace(1, 2, np.prod(shape), dtype=F).reshape(shape) for s in (.0125, .03)]
    caches = [(floats(batch, of_keys, past, size) / s).astype(E4M3) for s in scales]
    stored = [np.concatenate([c, np.clip(by_heads(x, of_keys) / s, -448, 448).astype(E4M3)], 2)
              for c, x, s in zip(caches, (k, v), scales)]
    want = joined(attend(by_heads(q, heads), *(x.astype(F) * s for x, s in zip(stored, scales))))
    ends = [np.full(batch, past + new - 1, np.int32), np.array([past + new], np.int32)]
    batch_of = Batch(opset=17, rtol=1e-4, atol=1e-5)
    batch_of.add("com.microsoft.GroupQueryAttention", [q, k, v, *caches, *ends, *[None] * 5, *scales], [want, *stored],
                 num_heads=heads, kv_num_heads=of_keys, k_quant_type=kind, v_quant_type=kind, kv_cache_bit_width=8)
    batch_of.check()


def test_what_the_text_leaves_open_is_an_error(floats):
    def said(op, *inputs, **attrs):
        return fails(f"com.microsoft.{op}", inputs, 17, num_heads=2, **attrs)

    x, w, cache = floats(2, 1, 4), floats(4, 12), floats(2, 2, 2, 5, 2)
    assert "leaves the angles open" in said("Attention", x, w, do_rotary=1)
    assert "needs past and past_sequence_length" in said("Attention", x, w, None, None, cache,
                                                         past_present_share_buffer=1)
    assert "past_sequence_length is -1" in said("Attention", x, w, None, None, cache, None, np.int32(-1),
                                                past_present_share_buffer=1)
    assert "6 keys do not fit a cache of 5" in said("Attention", x, w, None, None, cache, None, np.int32(5),
                                                    past_present_share_buffer=1)
    q, one, weights = (x * 10).astype(np.int8), F(1), np.ones((4, 12), np.int8)
    assert "leaves the angles open" in said("QAttention", q, weights, floats(12), one, one, do_rotary=1)
    assert "how much of it is in use" in said("QAttention", q, weights, floats(12), one, one, None, None, None, cache,
                                              past_present_share_buffer=1)
    past = [floats(2, 2, 4, 2)] * 2
    step = [x, x, x, None, None, None, *past]
    beams = np.zeros((1, 2, 4), np.int32)
    assert "cache_indirection needs past_sequence_length" in said("MultiHeadAttention", *step, None, beams)
    assert "cache_indirection has beam 2 of 2" in said("MultiHeadAttention", *step, np.int32(1), beams + 2)
    assert "cache_indirection has beam" in said("MultiHeadAttention", *step, np.int32(1), beams - 1)
    assert "beams of cache_indirection" in said("MultiHeadAttention", *step, np.int32(1), np.zeros((2, 2, 4), np.int32))
    assert "dim 2 of cache_indirection" in said("MultiHeadAttention", *step, np.int32(1), beams[:, :, :3])
    new, rest = [np.array([3, 2], np.int32), np.array([4], np.int32)], [None] * 7
    step = [floats(2, 1, 8), floats(2, 1, 4), floats(2, 1, 4), *[floats(2, 1, 3, 4)] * 2]
    assert "belong together" in said("GroupQueryAttention", *step, *new, *rest, floats(4), kv_num_heads=1)
    assert "k_norm_weight" in said("GroupQueryAttention", *step, *new, *rest, floats(4), floats(3), kv_num_heads=1)
