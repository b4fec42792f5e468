"""What the scripts that export models have in common; it needs NumPy only."""

import os
import pickle
import sys
import traceback


class Zoo:
    """Functions by the names of the models that they make."""

    def __init__(self):
        self.models = {}

    def add(self, name):
        """Decorates a function that returns a model, as an object, bytes or the path of a file, and its inputs."""

        def register(make):
            self.models[name] = make
            return make

        return register

    def export(self, folder, names=()):
        """Writes NAME.onnx, and its inputs as NAME.feeds, for those names, or all, that are not there yet."""
        for name in names or self.models:
            path = os.path.join(folder, name + ".onnx")
            if os.path.exists(path + ".feeds"):
                continue
            print("export", name, file=sys.stderr, flush=True)
            try:
                model, feeds = self.models[name]()
                save(path, model, feeds)
            except Exception:
                traceback.print_exc()
                print(f"{name}: not exported", file=sys.stderr, flush=True)


def save(path, model, feeds):
    """The inputs are written last: they tell that the model is there."""
    if isinstance(model, str):
        os.replace(model, path)
    else:
        with open(path, "wb") as f:
            f.write(model if isinstance(model, bytes) else model.SerializeToString())
    with open(path + ".feeds.part", "wb") as f:
        pickle.dump(feeds, f)
    os.replace(path + ".feeds.part", path + ".feeds")
