# SPDX-License-Identifier: Apache-2.0
"""Runs networks with ncnn in f32. pnnx converts them. Both packages are optional."""

import importlib.util
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx


def installed():
    return all(importlib.util.find_spec(name) for name in ("ncnn", "pnnx"))


def store_image_only(path, stored):
    """Stores the network with its image as the only input, and returns the shape of the image. Old models list their
    weights as inputs too, and pnnx takes the first input as the image."""
    model = onnx.load(path)
    weights = {each.name for each in model.graph.initializer}
    images = [each for each in model.graph.input if each.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(images)
    model.ir_version = max(model.ir_version, 4)
    onnx.save(model, stored)
    return [each.dim_value for each in images[0].type.tensor_type.shape.dim]


def convert(path, folder):
    """Writes FOLDER/model.ncnn.param and .bin. Returns the names of operators that pnnx did not convert. Raises
    RuntimeError when pnnx fails."""
    shape = store_image_only(path, folder / "model.onnx")
    # The program of pnnx is found without importing pnnx, because that would import torch.
    program = pathlib.Path(importlib.util.find_spec("pnnx").origin).with_name("pnnx")
    done = subprocess.run([program, "model.onnx", "inputshape=" + str(shape).replace(" ", ""), "fp16=0"], cwd=folder,
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"pnnx failed with status {done.returncode}")
    lines = (done.stdout + done.stderr).splitlines()
    return sorted({line.removeprefix("todo ") for line in lines if line.startswith("todo ")})


def load(path, threads):
    import ncnn
    net = ncnn.Net()
    net.opt.num_threads, net.opt.use_vulkan_compute, net.opt.use_packing_layout = threads, False, True
    for option in dir(net.opt):
        if option.startswith("use_") and any(kind in option for kind in ("fp16", "bf16", "int8")):
            setattr(net.opt, option, False)
        elif option.startswith(("use_winograd", "use_sgemm")):
            setattr(net.opt, option, True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        unknown = convert(path, folder)
        if net.load_param(str(folder / "model.ncnn.param")) or net.load_model(str(folder / "model.ncnn.bin")):
            raise RuntimeError(f"pnnx does not convert {', '.join(unknown)}" if unknown else "ncnn does not load the network")
    return net


def ncnn_side(path, threads):
    """Returns a function from images to outputs. Raises RuntimeError with the reason when ncnn cannot run the network."""
    import ncnn
    net = load(path, threads)
    source, result = net.input_names()[0], net.output_names()[0]

    def run(image):
        extractor = net.create_extractor()
        extractor.input(source, ncnn.Mat(image[0]))
        status, output = extractor.extract(result)
        if status:
            raise RuntimeError(f"ncnn failed with status {status}")
        return np.asarray(output)

    return run
