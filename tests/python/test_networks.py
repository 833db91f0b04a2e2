# SPDX-License-Identifier: Apache-2.0
"""Networks are built, planned, compiled and run on numpy arrays."""
import numpy
import pytest

import tileplan
from memory import kept_bytes
from threads import in_four_threads

RANDOM = numpy.random.default_rng(1)


def small_graph(channels=16):
    """Returns a convolution with a residual and a pool, and its weights."""
    weights = RANDOM.normal(0, 0.1, (channels, channels, 3, 3)).astype("f4")
    graph = tileplan.Graph("small")
    image = graph.input("image", (1, channels, 8, 8))
    sums = graph.node("Conv", [image, graph.constant("weights", weights)], pads=[1, 1, 1, 1])
    active = graph.node("Relu", [graph.node("Add", [sums, image], name="residual")])
    graph.output(graph.node("GlobalAveragePool", [active]))
    return graph, weights


def expected(image, weights):
    padded = numpy.pad(image.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    sums = numpy.einsum("nchwrs,kcrs->nkhw", windows, weights.astype("f8")) + image
    return numpy.maximum(sums, 0).mean(axis=(2, 3), keepdims=True)


@pytest.mark.parametrize("algorithm", ["direct", "winograd", "any"])
def test_a_graph_is_planned_compiled_and_run(algorithm):
    graph, weights = small_graph()
    plan = tileplan.plan_network(graph, algorithm=algorithm, second_best=True)
    assert plan.operations == plan.planned == 1 and plan.layouts.bound <= plan.layouts.seconds * 1.0001
    assert any(step.second_best for step in plan.steps)
    network = tileplan.compile(plan)
    assert network.input_shapes == [[1, 16, 8, 8]] and network.output_shapes == [[1, 16, 1, 1]]
    image = RANDOM.normal(0, 1, (1, 16, 8, 8)).astype("f4")
    first = network(image)
    numpy.testing.assert_allclose(first, expected(image, weights), rtol=1e-4, atol=1e-5)
    assert (network(image) == first).all()
    assert network.check().passed()


@pytest.mark.parametrize("type_of_bias", ["i4", "i8"])
def test_a_quantised_graph_takes_a_bias_of_integers(type_of_bias):
    weights, bias = RANDOM.integers(-127, 128, (4, 8, 1, 1), "i1"), RANDOM.integers(-999, 999, 4, type_of_bias)
    graph = tileplan.Graph("bytes")
    image = graph.input("image", (1, 8, 5, 5), "u8")
    scale, one = graph.constant("scale", numpy.array(0.01, "f4")), graph.constant("one", numpy.array(1, "f4"))
    zero, other = graph.constant("zero", numpy.array(0, "u1")), graph.constant("other", numpy.array(0, "i1"))
    graph.output(graph.node("QLinearConv", [image, scale, zero, graph.constant("weights", weights), one, other, one, zero,
                                            graph.constant("bias", bias)]))
    pixels = RANDOM.integers(0, 256, (1, 8, 5, 5), "u1")
    sums = numpy.einsum("nchw,kc->nkhw", pixels.astype("i8"), weights[:, :, 0, 0]) + bias[:, None, None]
    output = tileplan.compile(tileplan.plan_network(graph))(pixels)
    assert abs(output - numpy.clip(numpy.round(sums * 0.01), 0, 255)).max() <= 1


def test_a_network_is_saved_and_loaded(tmp_path):
    network = tileplan.compile(tileplan.plan_network(small_graph()[0], algorithm="any"))
    path = str(tmp_path / "small.network")
    network.save(path)
    loaded = tileplan.load_network(path)
    image = RANDOM.normal(0, 1, (1, 16, 8, 8)).astype("f4")
    assert (loaded(image) == network(image)).all()
    with pytest.raises(tileplan.Error, match="are packed"):
        loaded.check()
    with pytest.raises(tileplan.Error, match="must be tileplan-network-1"):
        (tmp_path / "other").write_text("no network\n")
        tileplan.load_network(str(tmp_path / "other"))


def test_times_of_steps_are_part_of_the_report():
    network = tileplan.compile(tileplan.plan_network(small_graph()[0]))
    times = network.measure_steps(0.05)
    assert len(times.step_seconds) == len(network.plan.steps) and times.whole.median_seconds > 0
    assert "measured run" in tileplan.report(network.plan, times=times)
    with pytest.raises(tileplan.Error, match="times belong to a network"):
        tileplan.report(tileplan.plan("m8n8k8"), times=times)


@pytest.mark.parametrize("call, message", [
    (lambda network: network(), "0 arrays; the network has 1 inputs"),
    (lambda network: network(numpy.zeros((1, 16, 8, 9), "f4")), "image"),
    (lambda network: network(numpy.zeros((1, 16, 8, 8))), "image"),
])
def test_wrong_arrays_are_refused(call, message):
    network = tileplan.compile(tileplan.plan_network(small_graph()[0]))
    with pytest.raises(tileplan.Error, match=message):
        call(network)


def test_wrong_nodes_are_refused():
    graph = tileplan.Graph()
    image = graph.input("image", (1, 4, 8, 8))
    with pytest.raises(tileplan.Error, match="knows no operator Nonsense"):
        graph.node("Nonsense", [image])
    with pytest.raises(tileplan.Error, match='no attribute "stride"; must be auto_pad, dil'):
        graph.node("Conv", [image, image], stride=[2, 2])
    with pytest.raises(tileplan.Error, match="attribute pads"):
        graph.node("MaxPool", [image], kernel_shape=[2, 2], pads={})
    with pytest.raises(tileplan.Error, match="must be float32, float64, int64"):
        graph.constant("halves", numpy.zeros(3, "f2"))


def test_four_threads_share_a_network():
    network = tileplan.compile(tileplan.plan_network(small_graph()[0], algorithm="any"))
    images = [RANDOM.normal(0, 1, (1, 16, 8, 8)).astype("f4") for _ in range(4)]
    alone = [network(image) for image in images]
    wrong = []

    def work(number):
        for _ in range(500):
            if not (network(images[number]) == alone[number]).all():
                wrong.append(number)

    in_four_threads(work)
    assert not wrong


def test_no_memory_is_lost_in_many_runs():
    network = tileplan.compile(tileplan.plan_network(small_graph()[0]))
    image = numpy.ones((1, 16, 8, 8), "f4")

    def calls(count):
        for _ in range(count):
            network(image)

    assert kept_bytes(calls, 20_000) < 2_000_000


def test_steps_name_their_tensors():
    plan = tileplan.plan_network(small_graph()[0])
    places = [buffer.place for buffer in plan.buffers]
    assert places.count("input") == places.count("output") == 1 and set(places) <= {"arena", "input", "output", "constant"}
    written = {output for step in plan.steps for output in step.outputs}
    assert places.index("output") in written and places.index("input") not in written


def test_a_network_becomes_c():
    machine = tileplan.machine_for(tileplan.detect_machine(), "avx2")
    files = tileplan.emit_network(tileplan.plan_network(small_graph()[0], machine), "small", target="avx2")
    assert {"small.c", "small.h", "small.weights"} <= set(files) and b"small_run" in files["small.h"]
