#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models of tests/clients/check: ResNet-18 with a fixed and an open batch, MobileNet v1, a
transformer block, and half a file. ResNet-18 and the transformer block have no normalization. The weights are random.

models.py FOLDER"""

import pathlib
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

FLOAT = TensorProto.FLOAT


class Graph:
    """Collects nodes and weights in the order in which they are added."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(1)

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        values = self.random.standard_normal(shape).astype("float32")
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, operation, *inputs, **attributes):
        name = f"{operation.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [name], name=name, **attributes))
        return name

    def conv(self, value, shape, stride=1, group=1, bias=True):
        inputs = [value, self.weight(*shape)] + ([self.weight(shape[0])] if bias else [])
        return self.node("Conv", *inputs, kernel_shape=shape[2:], strides=[stride] * 2,
                         pads=[shape[2] // 2] * 4, group=group)

    def normalized(self, value, channels):
        return self.node("BatchNormalization", value, *[self.weight(channels) for _ in range(4)])

    def save(self, path, shape, result, result_shape):
        graph = helper.make_graph(
            self.nodes, "graph", [helper.make_tensor_value_info("input", FLOAT, shape)],
            [helper.make_tensor_value_info(result, FLOAT, result_shape)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 7
        checker.check_model(model)
        path.write_bytes(model.SerializeToString())


def resnet18(path, shape):
    g = Graph()
    value = g.node("Relu", g.conv("input", (64, 3, 7, 7), stride=2))
    value = g.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for wide in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if block == 0 and wide != 64 else 1
            inner = g.node("Relu", g.conv(value, (wide, channels, 3, 3), stride=stride))
            short = value
            if stride == 2:
                short = g.conv(value, (wide, channels, 1, 1), stride=2)
            value = g.node("Relu", g.node("Add", g.conv(inner, (wide, wide, 3, 3)), short))
            channels = wide
    value = g.node("Flatten", g.node("GlobalAveragePool", value))
    value = g.node("Gemm", value, g.weight(1000, 512), g.weight(1000), transB=1)
    g.save(path, shape, value, [shape[0], 1000])


def mobilenet(path):
    g = Graph()

    def step(value, shape, stride=1, group=1):
        value = g.normalized(g.conv(value, shape, stride, group, bias=False), shape[0])
        low = g.node("Constant", value=numpy_helper.from_array(np.float32(0)))
        high = g.node("Constant", value=numpy_helper.from_array(np.float32(6)))
        return g.node("Clip", value, low, high)

    value, channels = step("input", (32, 3, 3, 3), stride=2), 32
    for wide, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                         *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        value = step(value, (channels, 1, 3, 3), stride, group=channels)
        value, channels = step(value, (wide, channels, 1, 1)), wide
    value = g.node("Flatten", g.node("GlobalAveragePool", value))
    value = g.node("Gemm", value, g.weight(1024, 1000), g.weight(1000))
    g.save(path, [1, 3, 224, 224], value, [1, 1000])


def transformer(path, tokens=64, heads=4, wide=256):
    g = Graph()

    def integers(*numbers):
        return g.node("Constant", value=numpy_helper.from_array(np.array(numbers, "int64")))

    def projected(value, n, k):
        return g.node("Add", g.node("MatMul", value, g.weight(k, n)), g.weight(n))

    def split(value, order):
        value = g.node("Reshape", value, integers(1, tokens, heads, wide // heads))
        return g.node("Transpose", value, perm=order)

    query, value = (split(projected("input", wide, wide), [0, 2, 1, 3]) for _ in range(2))
    key = split(projected("input", wide, wide), [0, 2, 3, 1])
    weights = g.node("Softmax", g.node("MatMul", query, key), axis=-1)
    mixed = g.node("Transpose", g.node("MatMul", weights, value), perm=[0, 2, 1, 3])
    mixed = g.node("Reshape", mixed, integers(1, tokens, wide))
    value = g.node("Add", projected(mixed, wide, wide), "input")
    inner = g.node("Relu", projected(value, 4 * wide, wide))
    g.save(path, [1, tokens, wide], g.node("Add", projected(inner, wide, 4 * wide), value),
           [1, tokens, wide])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    resnet18(folder / "resnet18.onnx", [1, 3, 224, 224])
    resnet18(folder / "open.onnx", ["batch", 3, 224, 224])
    mobilenet(folder / "mobilenet.onnx")
    transformer(folder / "transformer.onnx")
    whole = (folder / "mobilenet.onnx").read_bytes()
    (folder / "truncated.onnx").write_bytes(whole[:len(whole) // 2])


if __name__ == "__main__":
    main()
