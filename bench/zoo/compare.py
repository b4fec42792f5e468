"""Whether two engines gave the same results."""

import itertools

import numpy as np

RELATIVE, ABSOLUTE = 1e-3, 1e-4  # the latter of the largest element
TIE = 1e-6  # of scores that sums in another order may put in the other order


def difference(ours, theirs):
    """None, or the first difference of two dicts of outputs in words. Detections, which have `scores`, may come in
    another order where their scores are a tie."""
    ours = _in_order_of(theirs, ours)
    for name, value in theirs.items():
        text = _differs(ours[name], value)
        if text:
            return f"output {name}: {text}"
    return None


def _in_order_of(theirs, ours):
    scores = theirs.get("scores")
    if not isinstance(scores, np.ndarray) or scores.ndim != 1:
        return ours
    names = [n for n, v in theirs.items() if isinstance(v, np.ndarray) and v.shape[:1] == scores.shape]
    if any(np.shape(ours[n]) != theirs[n].shape for n in names):
        return ours
    order = list(range(len(scores)))
    for i in order[:]:
        ties = itertools.takewhile(lambda j: abs(ours["scores"][order[j]] - scores[i]) <= TIE, range(i, len(order)))
        same = (j for j in ties if not any(_differs(ours[n][order[j]], theirs[n][i]) for n in names))
        j = next(same, i)
        order.insert(i, order.pop(j))
    return {**ours, **{n: ours[n][order] for n in names}}


def _differs(a, b):
    if isinstance(b, dict):
        if not isinstance(a, dict) or a.keys() != b.keys():
            return "other keys"
        return next(filter(None, (_differs(a[k], b[k]) for k in b)), None)
    if isinstance(b, list):
        if not isinstance(a, list) or len(a) != len(b):
            return f"a list of {len(b)} expected"
        return next(filter(None, map(_differs, a, b)), None)
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or (a.dtype != b.dtype and "O" not in (a.dtype.char, b.dtype.char)):
        return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
    if b.dtype.kind not in "fc":
        return f"{np.count_nonzero(a != b)} of {b.size} elements" if not np.array_equal(a, b) else None
    a, b = a.astype(np.complex128), b.astype(np.complex128)
    finite = np.abs(b[np.isfinite(b)])
    bound = ABSOLUTE * (finite.max() if finite.size else 1)
    close = np.isclose(a, b, RELATIVE, bound, equal_nan=True)
    return (
        None
        if close.all()
        else f"{np.count_nonzero(~close)} of {b.size} elements, by {np.nanmax(np.abs(a - b)):.3g}, "
        f"of at most {finite.max() if finite.size else 0:.3g}"
    )
