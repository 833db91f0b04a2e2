#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs image networks with tileplan and onnxruntime on equal inputs, and compares the outputs. Unchanged light
models must give the outputs that the package onnx ships. The C that tileplan emits for the networks is compiled, and
compared with tileplan's run:

    networks.py PROGRAM FOLDER

The networks are the light models of the package onnx, whose weights are constants, and those of generated.py.
For the comparisons with onnxruntime and of emitted C, the light models get random weights. Their final
softmax is removed, because it would hide errors."""

import pathlib
import shutil
import subprocess
import sys

import generated
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NORMALIZATION = {1: (0.5, 1.5), 2: (-0.1, 0.1), 3: (-0.1, 0.1), 4: (0.5, 1.5)}
TOLERANCE = 1e-4
# Emitted C and the run have the same schedules unless the run uses vectors of two widths. Sums then
# round differently.
EMITTED_TOLERANCE = 1e-5
ISA = "avx512" if " avx512f " in pathlib.Path("/proc/cpuinfo").read_text() else "avx2"
MAIN = r"""
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
static float input[net_input_floats], output[net_output_floats];
int main(int count, char **paths) {
  void *const weights = net_load("net.weights"), *const workspace = aligned_alloc(64, net_workspace_bytes);
  FILE *const from = fopen(paths[1], "rb"), *const to = fopen(paths[2], "wb");
  if (count != 3 || !weights || !workspace || !from || !to) return 1;
  if (fread(input, sizeof input, 1, from) != 1) return 2;
  net_run(weights, input, output, workspace);
  return fwrite(output, sizeof output, 1, to) != 1 || fclose(to);
}
"""


def random_weights(random, node, position, shape):
    """Returns weights that keep the size of activations from layer to layer."""
    if node.op_type == "BatchNormalization":
        return random.uniform(*NORMALIZATION[position], shape)
    if node.op_type in ("Conv", "Gemm") and position == 1:
        return random.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
    return random.uniform(0.5, 1.5, shape) if node.op_type == "Mul" else random.normal(0, 0.1, shape)


def randomized(model):
    """Replaces the constant weights of a light model by random ones, and removes a final softmax."""
    random, graph = np.random.default_rng(1), model.graph
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers = {name: (node, i) for node in graph.node for i, name in enumerate(node.input)}
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
        elif node.output[0] in readers:
            reader, position = readers[node.output[0]]
            while reader.op_type == "Unsqueeze":
                reader, position = readers[reader.output[0]]
            weights = random_weights(random, reader, position, shapes[node.input[0]])
            graph.initializer.append(numpy_helper.from_array(weights.astype("f4"), node.output[0]))
    del graph.node[:]
    graph.node.extend(kept)
    if kept[-1].op_type == "Softmax":
        graph.node.remove(kept[-1])
        del graph.output[:]
        graph.output.append(helper.make_tensor_value_info(kept[-1].input[0], onnx.TensorProto.FLOAT, None))
    return model


def difference(program, folder, path, algorithm):
    """Returns the largest difference between outputs of tileplan and onnxruntime, relative to the largest output. The
    program checks each step too."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    given, result = session.get_inputs()[0], session.get_outputs()[0]
    image = np.random.default_rng(2).normal(0, 1, given.shape).astype("f4")
    expected = session.run(None, {given.name: image})[0]
    image.tofile(folder / "input.f32")
    subprocess.run([program, "run", path, "--input", f"{given.name}={folder / 'input.f32'}", "--outputs", folder,
                    "--algorithm", algorithm, "--budget", "0.1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    got = np.fromfile(folder / (result.name.replace("/", "_") + ".f32"), "f4").reshape(expected.shape)
    return np.abs(got - expected).max() / np.abs(expected).max()


def shipped_difference(program, folder, path):
    """Returns the largest difference of a light model as it is from the output that onnx ships for the input of its
    backend test, relative to the largest output."""
    graph = onnx.load(path).graph
    constants = {tensor.name for tensor in graph.initializer}
    given = next(each for each in graph.input if each.name not in constants)
    count = np.prod([dim.dim_value for dim in given.type.tensor_type.shape.dim])
    (np.arange(count) / count).astype("f4").tofile(folder / "input.f32")
    shipped = onnx.load_tensor(path.with_name(f"{path.stem}_output_0.pb"))
    subprocess.run([program, "run", path, "--input", f"{given.name}={folder / 'input.f32'}", "--outputs", folder,
                    "--budget", "0.1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    got, expected = np.fromfile(folder / (graph.output[0].name.replace("/", "_") + ".f32"), "f4"), numpy_helper.to_array(shipped)
    return np.abs(got - expected.ravel()).max() / np.abs(expected).max()


def emitted_difference(program, folder, path, algorithm):
    """Returns the largest difference of emitted C from the last run, relative to the largest output."""
    name = onnx.load(path, load_external_data=False).graph.output[0].name.replace("/", "_")
    c = folder / "c"
    shutil.rmtree(c, ignore_errors=True)
    subprocess.run([program, "emit", path, "--isa", ISA, "--algorithm", algorithm, "--name", "net", "-o", c],
                   check=True, stderr=subprocess.DEVNULL)
    (c / "main.c").write_text(MAIN)
    subprocess.run(["sh", "-c", "cc -O2 -fno-math-errno -Wall -Wextra -Werror *.c -lm -o program"], cwd=c, check=True)
    subprocess.run(["./program", folder / "input.f32", folder / "emitted.f32"], cwd=c, check=True)
    expected, got = np.fromfile(folder / f"{name}.f32", "f4"), np.fromfile(folder / "emitted.f32", "f4")
    return np.abs(got - expected).max() / np.abs(expected).max()


def models_in(folder):
    """Yields the path of each model. Writes a model that does not exist just before its path is yielded."""
    folder.mkdir(parents=True, exist_ok=True)
    for light in sorted(LIGHT.glob("light_*.onnx")):
        path = folder / light.name.replace("light_", "")
        if not path.exists():
            onnx.save(randomized(onnx.load(light)), path)
        yield path
    for name, make in generated.MODELS.items():
        path = folder / f"{name}.onnx"
        if not path.exists():
            make(path)
        yield path


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for light in sorted(LIGHT.glob("light_*.onnx")):
        error = shipped_difference(program, folder, light)
        failed = failed or not error <= TOLERANCE
        print(f"{'passed' if error <= TOLERANCE else 'FAILED':8} {light.stem}: outputs differ from those that onnx ships by "
              f"at most {error:.1g} of the largest", flush=True)
    for path in models_in(folder):
        for algorithm in ("direct", "any"):
            error = difference(program, folder, path, algorithm)
            passed = error <= TOLERANCE
            failed = failed or not passed
            print(f"{'passed' if passed else 'FAILED':8} {path.stem} {algorithm}: outputs differ from those of "
                  f"onnxruntime {onnxruntime.__version__} by at most {error:.1g} of the largest")
            error = emitted_difference(program, folder, path, algorithm)
            passed = error <= EMITTED_TOLERANCE
            failed = failed or not passed
            print(f"{'passed' if passed else 'FAILED':8} {path.stem} {algorithm}: outputs of emitted C for {ISA} "
                  f"differ from those of the run by at most {error:.1g} of the largest")
        path.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
