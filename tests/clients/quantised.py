#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's own tests of quantised operators, and a quantised network against onnxruntime:

    quantised.py PROGRAM FOLDER

All inputs but the first become constants, as they are in models. Operators that are no layer run
beside a small product, because a network without a layer has nothing to plan."""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

OPERATORS = ("QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger", "QuantizeLinear", "DequantizeLinear")
NAMES = {np.dtype("u1"): "u8", np.dtype("i1"): "s8", np.dtype("i4"): "s32", np.dtype("f4"): "f32"}
# Tests whose names contain one of these words have types or scales that tileplan does not support.
REFUSED = ("uint16", "int16", "blocked")


def run(program, folder, model, inputs):
    """Returns the outputs by name, or a text if tileplan fails: the last line of standard error, or
    standard output if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.onnx"
    onnx.save(model, path)
    command = [program, "run", path, "--outputs", folder, "--budget", "0.1"]
    for name, array in inputs.items():
        array.tofile(folder / f"{name}.in")
        command += ["--input", f"{name}={folder / name}.in"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.stdout
    files = {}
    for output in model.graph.output:
        for kind, name in NAMES.items():
            file = folder / f"{output.name}.{name}"
            if file.exists():
                files[output.name] = np.fromfile(file, kind)
                file.unlink()
    return files


def with_constants(model, inputs):
    """Makes constants of all inputs but the first, and adds a product to graphs without a layer."""
    graph = model.graph
    for value, array in list(zip(graph.input, inputs))[1:]:
        graph.initializer.append(numpy_helper.from_array(array, value.name))
        graph.input.remove(value)
    given = {graph.input[0].name: inputs[0]}
    if "Linear" in graph.node[0].op_type and not graph.node[0].op_type.startswith("QLinear"):
        graph.input.append(helper.make_tensor_value_info("beside", TensorProto.FLOAT, (1, 1)))
        graph.initializer.append(numpy_helper.from_array(np.ones((1, 1), "f4"), "one"))
        graph.node.append(helper.make_node("MatMul", ["beside", "one"], ["product"]))
        graph.output.append(helper.make_tensor_value_info("product", TensorProto.FLOAT, (1, 1)))
        given["beside"] = np.ones((1, 1), "f4")
    return model, given


def check_case(program, folder, case):
    """Returns whether one of ONNX's tests passed, or was refused as REFUSED expects, and a text that describes the
    result."""
    inputs, outputs = case.data_sets[0]
    inputs = [np.asarray(each) for each in inputs]
    model, given = with_constants(case.model, inputs)
    got = run(program, folder, model, given)
    if isinstance(got, str):
        refused = any(word in case.name for word in REFUSED) and any(word in got for word in ("must be", "per block", "cannot be inferred"))
        return refused, f"{case.name}: {got}"
    name = model.graph.output[0].name
    if name not in got:
        return False, f"{case.name}: no output"
    expected = np.asarray(outputs[0]).ravel()
    same = got[name].dtype == expected.dtype and np.array_equal(got[name], expected)
    return same, f"{case.name}: {len(expected)} outputs"


def qdq_model():
    """Returns two quantised convolutions and a product, as quantising tools write them."""
    random = np.random.default_rng(3)
    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def quantised(name, source, scale, zero):
        constant(f"{name}_s", np.float32(scale)), constant(f"{name}_z", zero)
        nodes.append(helper.make_node("QuantizeLinear", [source, f"{name}_s", f"{name}_z"], [f"{name}_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", f"{name}_s", f"{name}_z"], [f"{name}_d"]))
        return f"{name}_d"

    def weights(name, shape, in_scale, axis):
        scales = random.uniform(0.005, 0.02, shape[axis]).astype("f4")
        constant(f"{name}_w", random.integers(-128, 128, shape).astype("i1"))
        constant(f"{name}_ws", scales), constant(f"{name}_wz", np.zeros(shape[axis], "i1"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_w", f"{name}_ws", f"{name}_wz"], [f"{name}_wd"], axis=axis))
        constant(f"{name}_b", random.integers(-5000, 5000, shape[axis]).astype("i4"))
        constant(f"{name}_bs", (scales * np.float32(in_scale)).astype("f4"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_b", f"{name}_bs"], [f"{name}_bd"], axis=0))
        return [f"{name}_wd", f"{name}_bd"]

    x = quantised("x", "image", 0.02, np.uint8(119))
    nodes.append(helper.make_node("Conv", [x, *weights("c1", (32, 16, 3, 3), 0.02, 0)], ["c1"], pads=[1, 1, 1, 1]))
    nodes.append(helper.make_node("Relu", ["c1"], ["r1"]))
    r1 = quantised("r1", "r1", 0.05, np.uint8(0))
    nodes.append(helper.make_node("Conv", [r1, *weights("c2", (32, 32, 3, 3), 0.05, 0)], ["c2"], strides=[2, 2]))
    c2 = quantised("c2", "c2", 0.3, np.uint8(133))
    nodes.append(helper.make_node("GlobalAveragePool", [c2], ["mean"]))
    mean = quantised("mean", "mean", 0.1, np.uint8(128))
    nodes.append(helper.make_node("Flatten", [mean], ["flat"]))
    flat = quantised("flat", "flat", 0.1, np.uint8(128))
    nodes.append(helper.make_node("Gemm", [flat, *weights("g", (10, 32), 0.1, 0)], ["g"], transB=1))
    y = quantised("y", "g", 0.2, np.uint8(128))
    nodes.append(helper.make_node("Identity", [y], ["result"]))
    graph = helper.make_graph(nodes, "qdq", [helper.make_tensor_value_info("image", TensorProto.FLOAT, (1, 16, 14, 14))],
                              [helper.make_tensor_value_info("result", TensorProto.FLOAT, (1, 10))], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def check_qdq(program, folder):
    """Compares a quantised network with onnxruntime. Outputs may differ by one unit, because means are rounded."""
    model = qdq_model()
    image = np.random.default_rng(4).normal(0, 1, (1, 16, 14, 14)).astype("f4")
    got = run(program, folder, model, {"image": image})
    if isinstance(got, str):
        return False, f"qdq: {got}"
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    expected = session.run(None, {"image": image})[0].ravel()
    units = np.abs(got["result"] - expected).max() / 0.2
    return bool(units <= 1.001), f"qdq: outputs differ from those of onnxruntime by {units:.2g} units"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    cases = [case for case in collect_testcases() if case.model and case.model.graph.node[0].op_type in OPERATORS
             # Inputs of types that numpy lacks, such as float8, become arrays of objects. Their tests are left out.
             and all(np.asarray(each).dtype != object for each in case.data_sets[0][0])]
    verdicts = [check_case(program, folder, case) for case in cases]
    for passed, text in [*verdicts, check_qdq(program, folder)]:
        failed = failed or not passed
        print(f"{'passed' if passed else 'FAILED':8} {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
