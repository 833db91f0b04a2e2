# SPDX-License-Identifier: Apache-2.0
"""Makes networks that the package onnx does not ship: MobileNet v1 and v2, ResNet-18 and one that detects
objects like YOLO, in which a resized tensor joins an earlier one. Weights are random, and keep the size of activations."""

import numpy as np
import models
from onnx import numpy_helper


class Network(models.Graph):
    """Adds layers that are followed by their normalization and activation."""

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        scale = np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else 0.1
        self.weights.append(numpy_helper.from_array(self.random.normal(0, scale, shape).astype("f4"), name))
        return name

    def numbers(self, values, kind="f4"):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def normalized(self, value, channels):
        ranges = ((0.5, 1.5), (-0.1, 0.1), (-0.1, 0.1), (0.5, 1.5))
        return self.node("BatchNormalization", value, *[self.numbers(self.random.uniform(*each, channels)) for each in ranges])

    def layer(self, value, shape, stride=1, group=1, activation="Relu"):
        value = self.normalized(self.conv(value, shape, stride, group, bias=False), shape[0])
        if activation == "Clip":
            return self.node("Clip", value, self.numbers(0), self.numbers(6))
        if activation == "LeakyRelu":
            return self.node("LeakyRelu", value, alpha=0.1)
        return self.node(activation, value) if activation else value

    def classifier(self, value, channels):
        value = self.node("Flatten", self.node("GlobalAveragePool", value))
        return self.node("Gemm", value, self.weight(1000, channels), self.weight(1000), transB=1)


def mobilenet_v1(path):
    g = Network()
    value, channels = g.layer("input", (32, 3, 3, 3), stride=2, activation="Clip"), 32
    for wide, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        value = g.layer(value, (channels, 1, 3, 3), stride, group=channels, activation="Clip")
        value, channels = g.layer(value, (wide, channels, 1, 1), activation="Clip"), wide
    g.save(path, [1, 3, 224, 224], g.classifier(value, channels), [1, 1000])


def mobilenet_v2(path):
    g = Network()
    value, channels = g.layer("input", (32, 3, 3, 3), stride=2, activation="Clip"), 32
    for factor, wide, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                       (6, 320, 1, 1)):
        for stride in [first] + [1] * (count - 1):
            inner, hidden = value, channels * factor
            if factor > 1:
                inner = g.layer(inner, (hidden, channels, 1, 1), activation="Clip")
            inner = g.layer(inner, (hidden, 1, 3, 3), stride, group=hidden, activation="Clip")
            inner = g.layer(inner, (wide, hidden, 1, 1), activation=None)
            value = g.node("Add", value, inner) if stride == 1 and channels == wide else inner
            channels = wide
    value = g.layer(value, (1280, channels, 1, 1), activation="Clip")
    g.save(path, [1, 3, 224, 224], g.classifier(value, 1280), [1, 1000])


def resnet18(path):
    g = Network()
    value = g.node("MaxPool", g.layer("input", (64, 3, 7, 7), stride=2), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for wide in (64, 128, 256, 512):
        for stride in (1 if wide == 64 else 2, 1):
            inner = g.layer(g.layer(value, (wide, channels, 3, 3), stride), (wide, wide, 3, 3), activation=None)
            short = g.layer(value, (wide, channels, 1, 1), stride, activation=None) if stride == 2 else value
            value, channels = g.node("Relu", g.node("Add", inner, short)), wide
    g.save(path, [1, 3, 224, 224], g.classifier(value, channels), [1, 1000])


def yolo(path):
    g = Network()
    value, channels, skipped = "input", 3, None
    for wide in (16, 32, 64, 128, 256):
        skipped = g.layer(value, (wide, channels, 3, 3), activation="LeakyRelu")
        value, channels = g.node("MaxPool", skipped, kernel_shape=[2, 2], strides=[2, 2]), wide
    for shape in ((512, 256, 3, 3), (1024, 512, 3, 3), (256, 1024, 1, 1)):
        value = g.layer(value, shape, activation="LeakyRelu")
    coarse = g.conv(g.layer(value, (512, 256, 3, 3), activation="LeakyRelu"), (255, 512, 1, 1))
    value = g.layer(value, (128, 256, 1, 1), activation="LeakyRelu")
    value = g.node("Resize", value, "", g.numbers([1, 1, 2, 2]), mode="nearest")
    value = g.node("Concat", value, skipped, axis=1)
    fine = g.conv(g.layer(value, (256, 384, 3, 3), activation="LeakyRelu"), (255, 256, 1, 1))
    rows = [g.node("Reshape", each, g.numbers([1, 255, -1], "i8")) for each in (coarse, fine)]
    g.save(path, [1, 3, 416, 416], g.node("Concat", *rows, axis=2), [1, 255, 13 * 13 + 26 * 26])


MODELS = {"mobilenet_v1": mobilenet_v1, "mobilenet_v2": mobilenet_v2, "resnet18": resnet18, "yolo": yolo}
