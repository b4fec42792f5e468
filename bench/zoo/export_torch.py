"""Exports models of torch and torchvision, with random weights: `python export_torch.py FOLDER [NAME...]`.

Each becomes NAME.onnx with its inputs in NAME.onnx.feeds.
"""

import os
import sys
import tempfile

import numpy as np
import torch
import torchvision
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from torchvision.models import detection

import networks
from zoo import Zoo

zoo = Zoo()
torch.backends.mha.set_fastpath_enabled(False)  # the exporters know the ops of the slow path only


def export(model, inputs, names, outputs=None, axes=None, dynamo=False, opset=17):
    """The bytes of the model by one of torch's two exporters, and its inputs by name. axes: {name: {dim: symbol}}."""
    options = dict(dynamic_axes=axes, do_constant_folding=True)
    if dynamo:
        dims = {symbol: torch.export.Dim(symbol) for dim in (axes or {}).values() for symbol in dim.values()}
        shapes = (
            [{k: dims[v] for k, v in axes[name].items()} if name in axes else None for name in names]
            if axes
            else None
        )
        options = dict(dynamic_shapes=shapes, external_data=False, verbose=False)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = os.path.join(folder, "model.onnx")
        torch.onnx.export(
            model.eval(),
            tuple(inputs),
            path,
            input_names=names,
            output_names=outputs,
            dynamo=dynamo,
            opset_version=opset,
            **options,
        )
        with open(path, "rb") as f:
            return f.read(), {name: value.numpy() for name, value in zip(names, inputs)}


def picture(height, width, batch=1):
    """Discs and stripes, so that detectors have something to look at."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:height, :width]
    image = np.zeros((batch, 3, height, width), np.float32)
    for i in range(batch * 12):
        colour, r = rng.random(3), rng.integers(height // 20, height // 4)
        inside = (y - rng.integers(height)) ** 2 + (x - rng.integers(width)) ** 2 < r * r
        image[i % batch][:, inside] = colour[:, None]
    return torch.from_numpy(image + 0.1 * np.sin(x / 3).astype(np.float32))


def settle(model, image):
    """One pass in training mode sets the means and variances of batch norms: activations do not vanish or explode."""
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
        norm.reset_running_stats()
    model.train()
    with torch.no_grad():
        model(torch.cat([image, image.flip(3)]))
    return model.eval()


def classifier(name, size=224, symbolic=False, dynamo=False, make=None):
    @zoo.add(name + ("_symbolic" if symbolic else "") + ("_dynamo" if dynamo else ""))
    def run():
        torch.manual_seed(0)
        image = picture(size, size)
        model = settle((make or getattr(torchvision.models, name))(), image)
        axes = {"image": {0: "batch"}, "scores": {0: "batch"}} if symbolic else None
        return export(model, [image], ["image"], ["scores"], axes, dynamo, 18 if dynamo else 17)


def with_head(model):
    """The last layer of a new ViT is zero."""
    torch.nn.init.normal_(model.heads.head.weight, std=0.05)
    return model


classifier("resnet50")
classifier("resnet50", symbolic=True)
classifier("mobilenet_v2")
classifier("mobilenet_v2", dynamo=True)
classifier("vit_b_16", make=lambda: with_head(torchvision.models.vit_b_16()))
classifier("efficientnet_b0")
classifier("efficientnet_b0", symbolic=True)
classifier("swin_t")
classifier("convnext_tiny")
classifier("densenet121")
classifier("shufflenet_v2_x1_0")
classifier("inception_v3", 299, make=lambda: torchvision.models.inception_v3(aux_logits=False, init_weights=False))


class Part(torch.nn.Module):
    """One value of the dict that a model gives."""

    def __init__(self, model, key):
        super().__init__()
        self.model, self.key = model, key

    def forward(self, x):
        return self.model(x)[self.key]


@zoo.add("deeplab_v3")
def deeplab():
    torch.manual_seed(0)
    image = picture(256, 256)
    make = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large
    return export(
        Part(settle(make(weights=None, weights_backbone=None), image), "out"), [image], ["image"], ["classes"]
    )


def detector(name, make, size, outputs):
    @zoo.add(name)
    def run():
        torch.manual_seed(0)
        image = picture(size, size + 64)[0]
        model = make().eval()
        settle(model.backbone, image[None])
        spread_scores(model, image)
        count = len(model([image])[0]["boxes"])
        assert count >= 10, f"{count} boxes"
        return export(Listed(model), [image], ["image"], outputs, {"image": {1: "height", 2: "width"}})


class Listed(torch.nn.Module):
    """A detector takes a list of images and gives a list of dicts."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return tuple(self.model([image])[0].values())


# The spread of what the last layers give: random weights would give all boxes one score, and rounding would order them.
SPREAD = {
    "cls_logits": 0.7,
    "cls_score": 2,
    "bbox_pred": 0.3,
    "bbox_reg": 0.3,
    "mask_fcn_logits": 2,
    "classification_head.module_list": 2,
    "regression_head.module_list": 0.3,
}


def spread_scores(model, image):
    """Scales the weights of the last layers, each by what it gives for the image."""

    def scale(layer, _, out):
        factor = layer.spread / out.std().clamp(min=1e-6)
        layer.weight.mul_(factor)
        layer.hook.remove()  # a layer may run once for each size of picture
        return out * factor

    for name, layer in model.named_modules():
        spread = next((s for part, s in SPREAD.items() if part in name), None)
        if (
            spread
            and isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear))
            and not ("module_list" in name and layer.kernel_size != (1, 1))
        ):
            torch.nn.init.zeros_(layer.bias) if layer.bias is not None else None
            layer.spread = spread
            layer.hook = layer.register_forward_hook(scale)
    with torch.no_grad():
        model([image])


BOXES, NONE = ["boxes", "labels", "scores"], {"weights": None, "weights_backbone": None}
detector(
    "faster_rcnn",
    lambda: detection.fasterrcnn_resnet50_fpn(**NONE, box_score_thresh=0.1, min_size=256, max_size=320),
    256,
    BOXES,
)
detector(
    "faster_rcnn_mobile",
    lambda: detection.fasterrcnn_mobilenet_v3_large_320_fpn(**NONE, box_score_thresh=0.1),
    256,
    BOXES,
)
detector(
    "mask_rcnn",
    lambda: detection.maskrcnn_resnet50_fpn(
        **NONE, box_score_thresh=0.1, min_size=256, max_size=320, box_detections_per_img=20
    ),
    256,
    [*BOXES, "masks"],
)
detector(
    "retina_net",
    lambda: detection.retinanet_resnet50_fpn(**NONE, score_thresh=0.1, min_size=256, max_size=320),
    256,
    ["boxes", "scores", "labels"],
)
detector(
    "ssd_lite",
    lambda: detection.ssdlite320_mobilenet_v3_large(**NONE, score_thresh=0.1),
    320,
    ["boxes", "scores", "labels"],
)


@zoo.add("gpt_greedy_loop")
def gpt():
    """Greedy decoding in a Loop whose condition is data, by torch's newer exporter."""
    torch.manual_seed(0)
    return export(
        networks.GreedyDecoder(), [torch.tensor([[5, 17, 3]])], ["prompt"], ["tokens", "count"], dynamo=True, opset=20
    )


def llama(name, **options):
    @zoo.add(name)
    def run():
        torch.manual_seed(0)
        block = networks.LlamaBlock()
        past = [torch.randn(1, block.kv_heads, 24, block.head) for _ in range(2)]
        return export(
            block,
            [torch.randn(1, 2, block.width), *past],
            ["hidden", "past_key", "past_value"],
            ["out", "key", "value"],
            {"past_key": {2: "past"}, "past_value": {2: "past"}},
            **options,
        )


llama("llama_block")
llama("llama_block_dynamo", dynamo=True, opset=20)
llama("llama_block_opset23", dynamo=True, opset=23)


def t5():
    torch.manual_seed(0)
    tokens = [torch.randint(0, 1000, (2, 20)), torch.randint(0, 1000, (2, 7))]
    return export(
        networks.T5(),
        tokens,
        ["source", "target"],
        ["scores"],
        {
            "source": {0: "batch", 1: "source"},
            "target": {0: "batch", 1: "target"},
            "scores": {0: "batch", 1: "target"},
        },
    )


zoo.add("t5")(t5)


def quantised(make, quantise):
    model, feeds = make()
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ("float.onnx", "int8.onnx")]
    with open(paths[0], "wb") as f:
        f.write(model)
    quantise(*paths, feeds)
    with open(paths[1], "rb") as f:
        return f.read(), feeds


@zoo.add("t5_int8")
def t5_int8():
    return quantised(t5, lambda source, to, _: quantize_dynamic(source, to, weight_type=QuantType.QInt8))


def static(name, model, **options):
    @zoo.add(name)
    def run():
        class Once(CalibrationDataReader):
            def __init__(self, feeds):
                self.feeds = [feeds]

            def get_next(self):
                return self.feeds.pop() if self.feeds else None

        return quantised(
            zoo.models[model], lambda source, to, feeds: quantize_static(source, to, Once(feeds), **options)
        )


static("mobilenet_v2_qdq", "mobilenet_v2", per_channel=True)
static("mobilenet_v2_qoperator", "mobilenet_v2", quant_format=QuantFormat.QOperator)


@zoo.add("bert")
def bert():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, activation="gelu")
    model = torch.nn.Sequential(
        torch.nn.Embedding(1000, 256), torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    )
    return export(
        model,
        [torch.randint(0, 1000, (2, 32))],
        ["tokens"],
        ["hidden"],
        {"tokens": {0: "batch", 1: "length"}, "hidden": {0: "batch", 1: "length"}},
    )


@zoo.add("lstm_tagger")
def lstm_tagger():
    torch.manual_seed(0)
    return export(
        networks.Tagger(),
        [torch.randint(0, 500, (3, 25))],
        ["tokens"],
        ["tags"],
        {"tokens": {0: "batch", 1: "length"}, "tags": {0: "batch", 1: "length"}},
    )


@zoo.add("crnn")
def crnn():
    torch.manual_seed(0)
    return export(
        networks.Crnn(),
        [picture(32, 160, 2).mean(1, keepdim=True)],
        ["image"],
        ["letters"],
        {"image": {0: "batch", 3: "width"}},
    )


@zoo.add("unet")
def unet():
    torch.manual_seed(0)
    return export(networks.UNet(), [picture(128, 96)], ["image"], ["mask"], {"image": {2: "height", 3: "width"}})


@zoo.add("selective_scan")
def selective_scan():
    torch.manual_seed(0)
    return export(networks.SelectiveScan(), [torch.randn(64, 32)], ["x"], ["y"], dynamo=True, opset=20)


if __name__ == "__main__":
    zoo.export(sys.argv[1], sys.argv[2:])
