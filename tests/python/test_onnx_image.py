"""Ops on images and signals: what random draws do not reach."""
import numpy as np
import pytest
from ops import Batch, Const, fails

F32 = np.float32


def image(*shape, dtype=F32):
    return (np.arange(np.prod(shape)).reshape(shape) % 23 - 7).astype(dtype)


# ---- Resize, Upsample ----

def test_resize_nearest_of_any_type():
    b = Batch(13)
    strings = np.array([[["a", "b"], ["c", "d"]]], object)
    scales = Const(np.array([1, 2, 1.5], F32))
    b.add("Resize", [strings, None, scales], strings.repeat(2, 1)[:, :, [0, 0, 1]],
          coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    bits = np.array([[[True, False], [False, False]]])
    b.add("Resize", [bits, None, scales], bits.repeat(2, 1)[:, :, [0, 0, 1]],
          coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    b.check()


def test_integers_are_rounded_and_saturate():
    b = Batch(19)
    x = np.array([[[0, 250, 3]]], np.uint8)
    scales = Const(np.array([1, 1, 2], F32))
    b.add("Resize", [x, None, scales], np.array([[[0, 62, 188, 188, 65, 3]]], np.uint8), mode="linear")
    steep = np.array([[[0, 0, 0, 255, 255, 255]]], np.uint8)
    sizes = np.array([1, 1, 12])
    t = np.array([.25, .75])
    a = -.75
    near, far = (a + 2) * t ** 3 - (a + 3) * t ** 2 + 1, a * (t + 1) ** 3 - 5 * a * (t + 1) ** 2 + 8 * a * (t + 1) - 4 * a
    padded = np.pad(steep[0, 0].astype(float), 2, mode="edge")
    right = [padded[i + 2] * near[0] + padded[i + 3] * near[1] + padded[i + 1] * far[0] + padded[i + 4] * far[1]
             for i in range(6)]
    left = [padded[i + 2] * near[0] + padded[i + 1] * near[1] + padded[i + 3] * far[0] + padded[i] * far[1]
            for i in range(6)]
    wants = np.clip(np.round(np.array([left, right]).T.ravel()), 0, 255).astype(np.uint8).reshape(1, 1, 12)
    assert wants.min() == 0 and wants.max() == 255 and np.any(np.array(left) < -1)
    b.add("Resize", [steep, None, None, Const(sizes)], wants, mode="cubic")
    b.check()


def test_upsample_1():
    b = Batch(1)
    x = image(1, 2, 2, 3)
    b.add("Upsample", [x], x.repeat(2, 2).repeat(3, 3), height_scale=2., width_scale=3.)
    b.check()


@pytest.mark.parametrize("inputs, attrs, words", [
    ([image(2, 3), Const(F32([]))], {}, "neither scales nor sizes"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 2, 3]))], {}, "dim 0 of scales is 3, not 2"),
    ([image(2, 3), Const(F32([])), F32([1, 2, 3])], {}, "dim 0 of scales is 3, not 2"),
    ([image(2, 3), Const(F32([])), F32([1, -2])], {}, "a scale is not above 0"),
    ([image(2, 3), Const(F32([])), F32([1, np.nan])], {}, "a scale is not above 0"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 1e30]))], {}, "makes a dim too large"),
    ([image(2, 3), Const(F32([])), Const(F32([])), np.array([2, -3])], {}, "size -3 is negative"),
    ([image(2, 0), Const(F32([])), Const(F32([])), np.array([2, 3])], {}, "dim 1 of X is empty"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 2]))], {"mode": "sinc"}, "mode is 'sinc'"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 2]))], {"axes": [0, 0]}, "axis 0 is named twice"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 2]))], {"axes": [0, 2]}, "axis 2 is out of range"),
    ([image(2, 3), Const(F32([])), Const(F32([1, 2]))], {"coordinate_transformation_mode": "tf_crop_and_resize"},
     "needs roi"),
    ([image(2, 3, dtype=bool), Const(F32([])), Const(F32([1, 2]))], {"mode": "linear"}, "input 0 is bool"),
])
@pytest.mark.parametrize("symbolic", (False, True))
def test_resize_errors(inputs, attrs, words, symbolic):
    message = fails("Resize", inputs, 18, symbolic, **attrs)
    assert words in message and "the_node" in message


def test_resize_of_wild_regions_stays_inside():
    """Coordinates far outside, infinite or NaN read nothing outside of the tensor."""
    for mode in "nearest", "linear", "cubic":
        message = fails("Resize", [image(4, 5), F32([np.nan, -1e38, 1e38, np.inf]), Const(F32([])), np.array([7, 9])], 18,
                        coordinate_transformation_mode="tf_crop_and_resize", mode=mode)
        assert message == "no error"
