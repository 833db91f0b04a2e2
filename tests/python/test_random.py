# SPDX-License-Identifier: Apache-2.0
"""Kernels of random problems give the results of plain numpy."""
import numpy
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import references
import tileplan

MACHINE = tileplan.detect_machine()
EPILOGUES = st.sampled_from(["none", "bias", "relu", "add", "bias,add,relu", "accumulate", "accumulate,bias,clamp=-1:2", "alpha=-2,beta=0.5,relu",
                             "bias,leaky=0.25", "add,hard-swish,clamp=-1:2"])
THREADS = st.integers(1, min(2, MACHINE.cores))
TYPES = {"f32": numpy.float32, "f64": numpy.float64}
QUIETLY = dict(deadline=None, derandomize=True, database=None,
               suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@st.composite
def convolutions(draw):
    g = draw(st.sampled_from([1, 1, 1, 2, 3]))
    sizes = dict(n=draw(st.integers(1, 2)), g=g, c=g * draw(st.integers(1, 20)), k=g * draw(st.integers(1, 40)),
                 h=draw(st.integers(1, 12)), w=draw(st.integers(1, 12)), r=draw(st.integers(1, 3)),
                 s=draw(st.integers(1, 3)), stride=draw(st.integers(1, 2)), dilation=draw(st.integers(1, 2)),
                 padding=(draw(st.integers(0, 2)), draw(st.integers(0, 2))), type=draw(st.sampled_from(list(TYPES))))
    for side, taps, padding in ((sizes["h"], sizes["r"], sizes["padding"][0]),
                                (sizes["w"], sizes["s"], sizes["padding"][1])):
        assume(side + 2 * padding >= (taps - 1) * sizes["dilation"] + 1)
    return tileplan.conv_shape(**sizes)


def check(kernel, arrays, expected):
    """Compares the result of a kernel for `arrays` with `expected`."""
    weights = kernel.pack_weights(arrays.pop("weights"))
    out = kernel(arrays.pop("input"), weights, **arrays)
    scale = numpy.abs(expected).max() + 1
    epsilon = numpy.finfo(out.dtype).eps
    assert out.shape == expected.shape
    assert numpy.abs(out - expected).max() <= 64 * epsilon * scale


@settings(max_examples=350, **QUIETLY)
@given(convolutions(), EPILOGUES, THREADS, st.sampled_from(["any", "nhwc", "nchw", "blocked"]), st.integers(0, 2**32 - 1))
def test_a_convolution_equals_numpy(shape, epilogue, threads, layout, seed):
    try:
        plan = tileplan.plan_conv(shape, MACHINE, epilogue=epilogue, threads=threads, layout=layout, top=1)
    except tileplan.Error:
        assume(layout not in ("blocked", "nchw"))
        raise
    kernel = tileplan.compile(plan)
    random = numpy.random.default_rng(seed)
    real = TYPES[shape.type]
    image = random.uniform(-1, 1, (shape.n, shape.height.in_, shape.width.in_, shape.c)).astype(real)
    weights = random.uniform(-1, 1, kernel.weights_shape).astype(real)
    sums = references.conv(shape, image, weights)
    arrays = dict(input=references.in_layout(image, kernel.schedule.in_), weights=weights)
    bias = random.uniform(-1, 1, shape.k).astype(real)
    added, before = (random.uniform(-1, 1, sums.shape).astype(real) for _ in range(2))
    expected = references.in_layout(references.finished(sums, kernel.epilogue, before, bias, added), kernel.schedule.out)
    if kernel.epilogue.bias:
        arrays["bias"] = bias
    if kernel.epilogue.add:
        arrays["residual"] = references.in_layout(added, kernel.schedule.out)
    if kernel.epilogue.beta != 0:
        arrays["out"] = references.in_layout(before, kernel.schedule.out)
    check(kernel, arrays, expected)


# The input and the weights are drawn in these types of numpy. The kernels sum small integers exactly.
NARROW = {"bf16:bf16:f32": (numpy.float32, numpy.float32), "f16:f16:f32": (numpy.float16, numpy.float16),
          "u8:s8:s32": (numpy.uint8, numpy.int8), "s8:s8:s32": (numpy.int8, numpy.int8),
          "s16:s16:s32": (numpy.int16, numpy.int16), "s32": (numpy.int32, numpy.int32)}


def whole_numbers(random, shape, kind):
    return random.integers(0 if kind is numpy.uint8 else -8, 9, shape).astype(kind)


def as_given(array, types):
    """Returns the array that a kernel takes: the bits of bf16 are the upper half of those of f32."""
    return (array.view(numpy.uint32) >> 16).astype(numpy.uint16) if types.startswith("bf16") else array


@settings(max_examples=60, **QUIETLY)
@given(convolutions(), st.sampled_from(list(NARROW)), THREADS, st.integers(0, 2**32 - 1))
def test_a_convolution_of_narrow_types_equals_numpy(shape, types, threads, seed):
    shape = tileplan.parse_conv(f"--dt={types} " + str(shape).removeprefix(f"--dt={shape.type} "))
    kernel = tileplan.compile(tileplan.plan_conv(shape, MACHINE, threads=threads, layout="nhwc", top=1))
    random = numpy.random.default_rng(seed)
    image = whole_numbers(random, (shape.n, shape.height.in_, shape.width.in_, shape.c), NARROW[types][0])
    weights = whole_numbers(random, kernel.weights_shape, NARROW[types][1])
    out = kernel(as_given(image, types), kernel.pack_weights(as_given(weights, types)))
    assert (out == references.conv(shape, image, weights)).all()


@settings(max_examples=40, **QUIETLY)
@given(st.integers(1, 2), st.integers(1, 20), st.integers(1, 40), st.integers(3, 14), st.integers(3, 14), THREADS,
       st.integers(0, 2**32 - 1))
def test_a_winograd_convolution_equals_numpy(n, c, k, h, w, threads, seed):
    kernel = tileplan.compile(tileplan.plan_conv(machine=MACHINE, n=n, c=c, k=k, h=h, w=w, r=3, s=3, padding=1, top=1,
                                                 algorithm="winograd", threads=threads, epilogue="bias,relu"))
    random = numpy.random.default_rng(seed)
    image = random.uniform(-1, 1, (n, h, w, c)).astype(numpy.float32)
    weights = random.uniform(-1, 1, kernel.weights_shape).astype(numpy.float32)
    bias = random.uniform(-1, 1, k).astype(numpy.float32)
    out = kernel(references.in_layout(image, kernel.schedule.in_), kernel.pack_weights(weights), bias=bias)
    expected = numpy.maximum(references.conv(kernel.problem, image, weights) + bias, 0)
    assert kernel.schedule.winograd is not None
    assert numpy.abs(out - references.in_layout(expected, kernel.schedule.out)).max() <= 2e-4 * (numpy.abs(expected).max() + 1)


@settings(max_examples=150, **QUIETLY)
@given(st.integers(1, 3), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.sampled_from(list(TYPES)),
       EPILOGUES, THREADS, st.integers(0, 2**32 - 1))
def test_a_product_equals_numpy(b, m, n, k, kind, epilogue, threads, seed):
    kernel = tileplan.compile(tileplan.plan_gemm(machine=MACHINE, b=b, m=m, n=n, k=k, type=kind, epilogue=epilogue,
                                                 threads=threads, top=1))
    random = numpy.random.default_rng(seed)
    left, right, added, before = (random.uniform(-1, 1, shape).astype(TYPES[kind]) for shape in (
        kernel.input_shape, kernel.weights_shape, kernel.output_shape, kernel.output_shape))
    bias = random.uniform(-1, 1, n).astype(TYPES[kind])
    expected = references.finished(left.astype(float) @ right.astype(float), kernel.epilogue, before, bias, added)
    arrays = dict(input=left, weights=right)
    if kernel.epilogue.bias:
        arrays["bias"] = bias
    if kernel.epilogue.add:
        arrays["residual"] = added
    if kernel.epilogue.beta != 0:
        arrays["out"] = before
    check(kernel, arrays, expected)


def test_a_leading_dimension_is_the_last_extent_of_the_arrays():
    kernel = tileplan.compile(tileplan.plan_gemm(machine=MACHINE, m=5, n=6, k=7, lda=9, ldc=8))
    assert kernel.input_shape == (5, 9) and kernel.weights_shape == (7, 6) and kernel.output_shape == (5, 8)
    left = numpy.random.default_rng(1).uniform(-1, 1, (5, 9)).astype(numpy.float32)
    right = numpy.ones((7, 6), numpy.float32)
    out = numpy.full((5, 8), 3, numpy.float32)
    kernel(left, kernel.pack_weights(right), out=out)
    assert out[:, :6] == pytest.approx(left[:, :7] @ right, abs=1e-5)
    assert (out[:, 6:] == 3).all()
