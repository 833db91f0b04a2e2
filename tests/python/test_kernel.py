# SPDX-License-Identifier: Apache-2.0
"""Wrong arrays get one message, no memory is lost, and threads do not disturb each other."""
import threading

import numpy
import pytest

import tileplan
from memory import kept_bytes
from threads import in_four_threads

MACHINE = tileplan.detect_machine()


@pytest.fixture(scope="module")
def kernel():
    return tileplan.compile(tileplan.plan_conv(machine=MACHINE, c=16, k=16, h=4, w=5, layout="nhwc", epilogue="bias"))


@pytest.fixture(scope="module")
def weights(kernel):
    return kernel.pack_weights(numpy.ones(kernel.weights_shape, numpy.float32))


IMAGE = numpy.ones((1, 4, 5, 16), numpy.float32)
BIAS = numpy.arange(16, dtype=numpy.float32)
READ_ONLY = numpy.zeros((1, 4, 5, 16), numpy.float32)
READ_ONLY.flags.writeable = False
UNALIGNED = numpy.zeros(4 * 320 + 1, numpy.uint8)[1:].view(numpy.float32).reshape(1, 4, 5, 16)


def test_unit_dimensions_may_be_missing(kernel, weights):
    assert kernel(IMAGE, weights, bias=BIAS)[0, 0, 0].tolist() == [16 + i for i in range(16)]
    assert kernel(IMAGE[0], weights, bias=BIAS).shape == (1, 4, 5, 16)


def test_the_result_is_written_where_the_caller_says(kernel, weights):
    out = numpy.zeros((1, 4, 5, 16), numpy.float32)
    assert kernel(IMAGE, weights, bias=BIAS, out=out) is out
    assert out[0, 3, 4, 2] == 18


def test_new_arrays_are_aligned_to_cache_lines(kernel, weights):
    assert kernel(IMAGE, weights, bias=BIAS).ctypes.data % 64 == 0


def test_dlpack_without_the_buffer_protocol(kernel, weights):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    out = numpy.zeros((1, 4, 5, 16), numpy.float32)
    kernel(Foreign(IMAGE), weights, bias=memoryview(BIAS), out=Foreign(out))
    assert out[0, 0, 0, 1] == 17


@pytest.mark.parametrize("arrays, message", [
    (dict(input=IMAGE.astype(numpy.float64)), r"^input: float64; this kernel takes float32$"),
    (dict(input=IMAGE.astype(numpy.int32)), r"^input: int32; this kernel takes float32$"),
    (dict(input=IMAGE.astype(">f4")), r"^input: ndarray; must be an array in CPU memory"),
    (dict(input="pixels"), r"^input: str; must be an array in CPU memory"),
    (dict(input=[1.0]), r"^input: list; must be an array in CPU memory"),
    (dict(input=None), r"^input: None; must be an array$"),
    (dict(input=IMAGE.transpose(0, 3, 1, 2)), r"^input: shape \(1, 16, 4, 5\); this kernel takes \(1, 4, 5, 16\), nhwc$"),
    (dict(input=IMAGE.reshape(-1)), r"^input: shape \(320,\); this kernel takes \(1, 4, 5, 16\), nhwc$"),
    (dict(input=numpy.ones((1, 4, 5, 32), numpy.float32)[..., ::2]), r"^input: strides of \(640, 160, 32, 2\) elements; must"),
    (dict(input=IMAGE[:, :, ::-1]), r"^input: strides of \(320, 80, -16, 1\) elements; must be contiguous"),
    (dict(input=UNALIGNED), r"^input: not aligned; must be aligned to 4 bytes$"),
    (dict(bias=BIAS[:8]), r"^bias: shape \(8,\); this kernel takes \(16,\), one value per output channel$"),
    (dict(bias=None), r"bias"),
    (dict(residual=IMAGE), r"residual"),
    (dict(out=READ_ONLY), r"^out: the array is read-only; must be writable$"),
    (dict(out=numpy.zeros((1, 5, 4, 16), numpy.float32)), r"^out: shape \(1, 5, 4, 16\); this kernel takes \(1, 4, 5, 16\)"),
    (dict(out=IMAGE), r"^input: overlaps out; must not$"),
    (dict(weights=IMAGE), r"^weights: ndarray; must be what kernel\.pack_weights\(\) returned$"),
])
def test_wrong_arrays_get_one_message(kernel, weights, arrays, message):
    arguments = dict(dict(input=IMAGE, weights=weights, bias=BIAS), **arrays)
    with pytest.raises(tileplan.Error, match=message) as raised:
        kernel(arguments.pop("input"), arguments.pop("weights"), **arguments)
    assert "\n" not in str(raised.value)


class Exported:
    """Imitates an array of ml_dtypes' bfloat16, which can be read only by its view as uint16."""

    def __init__(self, bits):
        self.bits = bits
        self.dtype, self.view = "bfloat16", bits.view


def test_bfloat16_is_given_as_bits_or_by_ml_dtypes():
    kernel = tileplan.compile(tileplan.plan_gemm(machine=MACHINE, m=3, n=16, k=4, type="bf16:bf16:f32"))
    ones = numpy.full((3, 4), 0x3F80, numpy.uint16)
    twos = numpy.full((4, 16), 0x4000, numpy.uint16)
    expected = numpy.full((3, 16), 8, numpy.float32)
    assert (kernel(ones, kernel.pack_weights(twos)) == expected).all()
    assert (kernel(Exported(ones), kernel.pack_weights(Exported(twos))) == expected).all()
    with pytest.raises(tileplan.Error, match=r"^input: float32; this kernel takes uint16, the bits of bfloat16$"):
        kernel(numpy.ones((3, 4), numpy.float32), kernel.pack_weights(twos))
    dtypes = pytest.importorskip("ml_dtypes")
    halves = numpy.full((3, 4), 0.5, dtypes.bfloat16)
    assert (kernel(halves, kernel.pack_weights(numpy.full((4, 16), 2, dtypes.bfloat16))) == 4).all()


def test_weights_of_another_kernel_are_refused(kernel):
    other = tileplan.compile(tileplan.plan_conv(machine=MACHINE, c=32, k=8, h=4, w=5))
    foreign = other.pack_weights(numpy.ones(other.weights_shape, numpy.float32))
    with pytest.raises(tileplan.Error, match="weights"):
        kernel(IMAGE, foreign, bias=BIAS)
    with pytest.raises(tileplan.Error, match=r"^weights: shape \(16, 1\); this kernel takes \(16, 16, 1, 1\), oihw$"):
        kernel.pack_weights(numpy.ones((16, 1), numpy.float32))


def test_accumulation_needs_an_output():
    adding = tileplan.compile(tileplan.plan_conv(machine=MACHINE, c=16, k=16, h=2, w=2, epilogue="accumulate"))
    packed = adding.pack_weights(numpy.ones(adding.weights_shape, numpy.float32))
    with pytest.raises(tileplan.Error, match="^out: None; must be given, because this kernel adds to it$"):
        adding(numpy.ones(adding.input_shape, numpy.float32), packed)


def test_no_memory_is_lost_in_a_hundred_thousand_calls(kernel, weights):
    out = numpy.zeros((1, 4, 5, 16), numpy.float32)
    wrong = numpy.zeros((1, 4, 5, 15), numpy.float32)

    def calls(count):
        for i in range(count):
            kernel(IMAGE, weights, bias=BIAS, out=out if i % 2 else None)
            if i % 10 == 0:
                kernel.pack_weights(numpy.ones((16, 16), numpy.float32))
                with pytest.raises(tileplan.Error):
                    kernel(wrong, weights)

    assert kept_bytes(calls, 100_000) < 2_000_000


def test_four_threads_share_a_kernel(kernel, weights):
    wrong = []

    def work(number):
        image = numpy.full((1, 4, 5, 16), number, numpy.float32)
        for _ in range(3000):
            out = kernel(image, weights, bias=BIAS)
            if not (out == 16 * number + BIAS).all():
                wrong.append(number)
        plan = tileplan.plan_conv(machine=MACHINE, c=16 + number, k=16, h=4, w=4)
        assert tileplan.compile(plan).check().passed()

    in_four_threads(work)
    assert not wrong


def test_the_interpreter_runs_while_a_kernel_runs():
    big = tileplan.compile(tileplan.plan_conv(machine=MACHINE, c=256, k=256, h=56, w=56, r=3, s=3, padding=1))
    packed = big.pack_weights(numpy.ones(big.weights_shape, numpy.float32))
    image = numpy.ones(big.input_shape, numpy.float32)
    done = threading.Event()

    def work():
        for _ in range(5):
            big(image, packed)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
    thread.join()
    assert steps > 1000


def test_quantised_layers_get_their_numbers_in_each_call():
    plan = tileplan.plan("--dt=u8:s8:u8 m3n20k8", MACHINE,
                         epilogue="input-zero,weights-zero=channel,bias,scale=channel,relu,output-zero")
    kernel = tileplan.compile(plan)
    random = numpy.random.default_rng(1)
    a = random.integers(0, 256, (3, 8), numpy.uint8)
    b = random.integers(-128, 128, (8, 20), numpy.int8)
    points = random.integers(-128, 128, 20, numpy.int8)
    bias = random.integers(-1000, 1000, 20, numpy.int32)
    scales = random.uniform(0.0005, 0.002, 20).astype(numpy.float32)
    packed = kernel.pack_weights(b, zero_points=points)
    got = kernel(a, packed, bias=bias, scales=scales, zero_point=3, input_zero_point=100)
    sums = (a.astype(int) - 100) @ (b.astype(int) - points) + bias
    scaled = numpy.maximum(sums.astype(numpy.float32) * scales, numpy.float32(0))
    assert (got == numpy.clip(numpy.rint(scaled) + 3, 0, 255)).all()
    with pytest.raises(tileplan.Error, match="scales: 0 elements; this kernel takes 20"):
        kernel(a, packed, bias=bias)
    with pytest.raises(tileplan.Error, match="zero points of the weights: 0 numbers; this kernel takes 20"):
        kernel.pack_weights(b)
