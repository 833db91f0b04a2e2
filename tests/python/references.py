# SPDX-License-Identifier: Apache-2.0
"""Computes with plain numpy loops what kernels should return."""
import numpy


def in_layout(nhwc, layout):
    """Converts an array [n, h, w, c] to a layout of kernels. The last channel block is filled up with zeros."""
    if layout == "nhwc":
        return numpy.ascontiguousarray(nhwc)
    nchw = numpy.ascontiguousarray(nhwc.transpose(0, 3, 1, 2))
    if layout == "nchw":
        return nchw
    block = {"nChw16c": 16, "nChw8c": 8}[layout]
    n, c, h, w = nchw.shape
    padded = numpy.zeros((n, -(-c // block) * block, h, w), nhwc.dtype)
    padded[:, :c] = nchw
    return numpy.ascontiguousarray(padded.reshape(n, -1, block, h, w).transpose(0, 1, 3, 4, 2))


def conv(shape, nhwc, weights):
    """Returns the sums of a convolution along height and width as [n, h, w, k] in double precision."""
    axes = (shape.height, shape.width)
    rows, columns = ((axis.out - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1 for axis in axes)
    padded = numpy.zeros((shape.n, max(rows, axes[0].pad_before + axes[0].in_),
                          max(columns, axes[1].pad_before + axes[1].in_), shape.c))
    padded[:, axes[0].pad_before:axes[0].pad_before + axes[0].in_,
           axes[1].pad_before:axes[1].pad_before + axes[1].in_] = nhwc
    out = numpy.zeros((shape.n, axes[0].out, axes[1].out, shape.k))
    inner, outer = shape.c // shape.g, shape.k // shape.g
    for group in range(shape.g):
        for r in range(axes[0].filter):
            for s in range(axes[1].filter):
                top, left = r * axes[0].dilation, s * axes[1].dilation
                window = padded[:, top:top + (axes[0].out - 1) * axes[0].stride + 1:axes[0].stride,
                                left:left + (axes[1].out - 1) * axes[1].stride + 1:axes[1].stride,
                                group * inner:(group + 1) * inner]
                taps = weights[group * outer:(group + 1) * outer, :, r, s].astype(float)
                out[..., group * outer:(group + 1) * outer] += window @ taps.T
    return out


def activated(x, activation):
    if activation.startswith("leaky="):
        return numpy.where(x < 0, float(activation.removeprefix("leaky=")) * x, x)
    return {"none": x, "sigmoid": 1 / (1 + numpy.exp(-x)), "silu": x / (1 + numpy.exp(-x)),
            "hard-swish": x * numpy.clip(x / 6 + 0.5, 0, 1)}[activation]


def finished(sums, epilogue, before, bias, residual):
    """Returns clamp(activation(alpha * sums + beta * before + bias + residual)) with the terms that the epilogue has."""
    result = epilogue.alpha * sums + epilogue.beta * before
    if epilogue.bias:
        result += bias
    if epilogue.add:
        result += residual
    return numpy.clip(activated(result, epilogue.activation), epilogue.low, epilogue.high)
