"""Whether two engines gave the same results."""

import numpy as np

RELATIVE, ABSOLUTE = 1e-3, 1e-4  # the latter of the largest element


def difference(ours, theirs):
    """None, or the first difference of two dicts of outputs in words."""
    for name, value in theirs.items():
        text = _differs(ours[name], value)
        if text:
            return f"output {name}: {text}"
    return None


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
