# SPDX-License-Identifier: Apache-2.0
"""Functions have the options and the results of the C++ interface."""
import inspect
import json
import pathlib
import signal
import subprocess
import sys
import time

import numpy
import pytest

import tileplan

HOST = tileplan.detect_machine()
SMALL = "mb1ic16ih8oc16oh8kh3ph1"
ROOT = pathlib.Path(__file__).parents[2]


def test_options_have_the_defaults_of_cxx():
    options = tileplan.plan(SMALL).options
    assert options == tileplan.Options()
    assert (options.top, options.verify, options.layout, options.regime, options.capacity) == (10, 0, "any", "hot", "lru2")


def test_a_machine_is_an_object_or_a_name_or_this_host():
    xeon = tileplan.load_machine("xeon-gold-6130")
    assert tileplan.plan(SMALL, "xeon-gold-6130").machine == xeon
    assert tileplan.plan(SMALL, xeon).machine.vector.isa == "avx512"
    assert tileplan.plan(SMALL).machine.name == HOST.name
    assert [cache.name for cache in xeon.caches] == ["L1", "L2", "L3"]


def test_a_plan_can_be_read_and_saved(tmp_path):
    plan = tileplan.plan(SMALL, HOST, top=3, threads=1, epilogue="bias,relu")
    assert len(plan.candidates) == 3 and plan.verdict == "unmeasured" and plan.options.epilogue.bias
    best = plan.candidates[0]
    assert best.measurement is None and best.prediction.seconds == best.seconds > 0
    assert tileplan.parse_schedule(str(best.schedule)) == best.schedule
    assert {loop.kind for loop in best.schedule.loops} >= {"vector"}
    tileplan.save_plan(plan, str(tmp_path / "saved.plan"))
    assert tileplan.load_plan(str(tmp_path / "saved.plan")) == plan
    assert json.loads(plan.to_json())
    assert "rank" in str(plan) and repr(plan).startswith("Plan(mb1ic16ih8oc16kh3ph1 on ") or "Plan(" in repr(plan)


def test_sizes_make_the_problem_that_its_descriptor_names():
    assert tileplan.conv_shape(c=16, k=16, h=8, w=8, r=3, s=3, padding=1) == tileplan.parse_conv(SMALL)
    assert tileplan.conv_shape(c=4, k=8, h=9, w=7, r=3, s=1, stride=2, padding=(1, 0)) == tileplan.parse_conv(
        "mb1ic4ih9iw7oc8oh5ow4kh3kw1sh2sw2ph1pw0")
    assert str(tileplan.GemmShape(m=2, n=3, k=4)) == "m2n3k4"
    even = tileplan.conv_shape(c=1, k=1, h=8, w=8, r=4, s=4, padding=1, padding_after=2)
    assert (even.height.out, even.height.pad_before, even.height.pad_after) == (8, 1, 2)
    assert tileplan.plan_conv(c=16, k=16, h=8, w=8, r=3, s=3, padding=1).problem == tileplan.parse_conv(SMALL)


@pytest.mark.parametrize("call, message", [
    (lambda: tileplan.plan("resnet18-99"), "resnet18-99"),
    (lambda: tileplan.plan(SMALL, layout="chwn"), "chwn"),
    (lambda: tileplan.plan(SMALL, threads=0), "0"),
    (lambda: tileplan.plan(SMALL, threads=10_000), "10000"),
    (lambda: tileplan.load_machine("no-such-machine"), "no-such-machine"),
    (lambda: tileplan.conv_shape(c=3, k=3, h=0, w=1), "0"),
    (lambda: tileplan.conv_shape(c=3, k=3, h=4, w=4, stride=0), "0"),
    (lambda: tileplan.plan_conv(SMALL, c=3), "c together with a shape"),
    (lambda: tileplan.candidates(SMALL, format="verilog"), "verilog"),
    (lambda: tileplan.movement(SMALL, "n,z"), "z"),
    (lambda: tileplan.bound(SMALL, 0), "0"),
    (lambda: tileplan.compile("[V(k)]"), "problem: None"),
    (lambda: tileplan.compile(tileplan.plan(SMALL), 99), "99"),
    (lambda: tileplan.explain(tileplan.plan(SMALL), rank=99), "rank: 99"),
    (lambda: tileplan.plan_network("missing.csv"), "missing.csv"),
    (lambda: tileplan.report(tileplan.plan(SMALL), format="pdf"), "pdf"),
])
def test_wrong_input_is_an_error_with_the_value(call, message):
    with pytest.raises(tileplan.Error, match=message) as raised:
        call()
    assert isinstance(raised.value, ValueError)


def test_unknown_options_are_named():
    with pytest.raises(TypeError, match="unknown option 'thread'; must be one of top, verify"):
        tileplan.plan(SMALL, thread=2)
    assert tileplan.plan_gemm(m=4, n=8, k=8, name="fc").problem.name == "fc"
    for call in (lambda: tileplan.plan_conv(SMALL, thread=2), lambda: tileplan.plan_gemm(m=4, n=8, k=8, thread=2)):
        with pytest.raises(TypeError, match="unknown option 'thread'; must be one of "):
            call()


def test_measured_candidates_have_times_and_a_verdict():
    plan = tileplan.plan(SMALL, HOST, verify=2)
    assert plan.verdict in ("decided", "tied", "undecided")
    assert plan.candidates[0].measurement.median_seconds > 0
    kernel = tileplan.compile(plan)
    assert kernel.check().passed() and kernel.measure(3).median_seconds > 0


def test_a_schedule_can_be_compiled_and_explained():
    best = tileplan.plan(SMALL, HOST).candidates[1].schedule
    assert tileplan.compile(str(best), problem=SMALL, machine=HOST).schedule == best
    explanation = tileplan.explain(SMALL, HOST, best)
    assert explanation.levels[0].cache == "L1" and explanation.levels[0].distance >= 1
    assert "L1" in str(explanation) and "<table" in explanation._repr_html_()
    assert tileplan.explain(tileplan.plan(SMALL, HOST), rank=1).candidate.schedule == best
    with pytest.raises(tileplan.Error, match="a plan has its own"):
        tileplan.explain(tileplan.plan(SMALL, HOST), schedule=best)


def test_movement_is_counted_by_hand():
    moved = tileplan.movement("m4n6k8", "i,j,k", tile={"i": 2, "j": 3, "k": 8})
    assert {each.tensor: (each.footprint, each.volume) for each in moved} == {
        "A": (16, 32), "B": (24, 96), "C": (6, 24)}
    assert "<table" in moved._repr_html_()
    assert [each.name for each in tileplan.classes(SMALL).classes] == ["h", "w", "r", "s", "kh", "kw", "kr", "ks"]
    bound = tileplan.bound("m512n512k512", 4096)
    assert bound.bound == max(bound.lb1, bound.lb2, bound.compulsory) and bound.bytes == 4 * bound.bound


@pytest.mark.parametrize("format", ["jsonl", "ttile", "benchdnn", "mlir", "iree", "xtc", "zigzag", "halide", "metaschedule"])
def test_candidates_are_written_for_other_tuners(format):
    found = tileplan.candidates("mb1ic64ih14oc64oh14kh3ph1", HOST, format=format, top=2)
    written = tileplan.write_candidates(found, format)
    assert 1 <= len(found) <= 2 and written.count >= 1 and str(written) == written.text


def test_a_report_is_a_page_or_a_file(tmp_path):
    plan = tileplan.plan(SMALL, HOST, top=2)
    steps = []
    page = tileplan.report(plan, tmp_path / "page.html", progress=lambda done, all: steps.append((done, all)))
    assert page.startswith("<!") and (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page._repr_html_().startswith("<iframe") and steps[-1][0] == steps[-1][1]
    assert json.loads(tileplan.report(plan, format="json"))


def test_an_exception_of_progress_ends_the_call():
    def fail(done, all):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tileplan.report(tileplan.plan(SMALL, HOST, top=2), progress=fail)


def test_a_network_has_a_plan_per_layer(tmp_path):
    (tmp_path / "two.csv").write_text(f"name,problem\na,{SMALL}\nb,m32n32k32\n", encoding="utf-8")
    steps = []
    network = tileplan.plan_network(tmp_path / "two.csv", HOST, progress=lambda done, all: steps.append(done), top=1)
    assert [layer.name for layer in network.layers] == ["a", "b"] and network.planned == 2 and steps == [0, 1]
    assert "<table" in network._repr_html_() and tileplan.report(network, format="md")
    tileplan.plan_network(tmp_path / "two.csv", HOST, progress=True, top=1)


def test_progress_needs_no_tqdm(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert tileplan.report(tileplan.plan(SMALL, HOST, top=1), format="csv", progress=True)


def test_calibration_reports_its_share():
    shares = []
    try:
        machine = tileplan.calibrate(HOST, samples=3, budget_seconds=0.2, progress=shares.append)
    except tileplan.Error as error:
        pytest.skip(str(error))
    assert machine.rates.kernels and machine.provenance.calibrated
    assert shares == sorted(shares) and shares[-1] == 1


def test_a_plan_is_a_table_in_a_notebook():
    page = tileplan.plan(SMALL, HOST, top=2)._repr_html_()
    assert page.count("<tr>") == 3 and "bottleneck" in page


def test_a_relation_takes_arrays_of_its_sizes():
    relation = ("{ S[i,j,k] : 0 <= i < 6 and 0 <= j < 32 and 0 <= k < 5 } reads "
                "{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] } writes { S[i,j,k] -> C[i,j] }")
    kernel = tileplan.compile(tileplan.plan(relation, HOST))
    random = numpy.random.default_rng(3)
    left, right = (random.uniform(-1, 1, shape).astype(numpy.float32) for shape in ((6, 5), (5, 32)))
    out = kernel(left, kernel.pack_weights(right))
    assert out.reshape(6, 32) == pytest.approx(left @ right, abs=1e-5)


def test_emitted_c_names_its_functions():
    plan = tileplan.plan(SMALL, tileplan.machine_for(HOST, "neon"), top=1)
    emitted = tileplan.emit_c(plan.problem, plan.candidates[0].schedule, target="neon", name="layer")
    assert "layer_run" in emitted.source and "layer_pack" in emitted.header


def test_emitted_c_uses_only_dot_products_of_the_machine():
    skylake = tileplan.load_machine("xeon-gold-6130")  # AVX-512 without VNNI.
    plan = tileplan.plan("--dt=u8:s8:s32 " + SMALL, skylake, top=1)
    schedule = plan.candidates[0].schedule
    emitted = tileplan.emit_c(plan.problem, schedule, target="avx512", machine=skylake)
    assert "dpbusd" not in emitted.source
    with pytest.raises(tileplan.Error, match="c is covered 8 times"):
        tileplan.emit_c(plan.problem, schedule, target="avx512")


INTERRUPTED = """
import signal
import tileplan
signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background jobs ignore Ctrl-C.
host = tileplan.detect_machine()
print("begin", flush=True)
try:
    tileplan.plan("mb1ic256ih56oc256oh56kh3ph1", host, verify=10, budget_seconds=60)
except KeyboardInterrupt:
    print("stopped", flush=True)
print(tileplan.compile(tileplan.plan("m8n8k8", host)).measure(3).samples > 0)
"""


def test_ctrl_c_stops_measurements_and_later_ones_run():
    program = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "begin\n"
    time.sleep(2)
    begin = time.monotonic()
    program.send_signal(signal.SIGINT)
    rest = program.communicate(timeout=30)[0]
    assert rest == "stopped\nTrue\n" and time.monotonic() - begin < 20


def test_the_command_line_is_part_of_the_package():
    program = pathlib.Path(tileplan.__file__).parent / "bin" / "tileplan"
    if not program.exists():
        pytest.skip(f"{program} was not built")
    shown = subprocess.run([sys.executable, "-m", "tileplan", "--version"], text=True, stdout=subprocess.PIPE, check=True)
    assert tileplan.__version__ in shown.stdout


def test_public_names_are_documented():
    for name in tileplan.__all__:
        value = getattr(tileplan, name)
        assert value.__doc__, name
        if isinstance(value, type):
            members = {each: getattr(value, each) for each in vars(value) if not each.startswith("_")}
            assert all(member.__doc__ for member in members.values() if callable(member)), (name, sorted(members))
    assert tileplan.Machine.caches.__doc__ == "The innermost cache is first."


def test_signatures_list_sizes_and_options():
    parameters = inspect.signature(tileplan.plan_conv).parameters
    assert [parameters[name].default for name in ("padding", "threads", "epilogue")] == [0, 1, "none"]
    assert list(parameters)[:4] == ["shape", "machine", "n", "g"]
    assert inspect.signature(tileplan.tune).parameters["verify"].default == 10


def test_epilogues_can_be_made_of_fields():
    numbers = tileplan.Quantisation(input_zero_point=True, scales="channel", output_zero_point=True)
    made = tileplan.Epilogue(low=0, bias=True, quantisation=numbers)
    assert made == tileplan.parse_epilogue("input-zero,bias,scale=channel,relu,output-zero")
    assert made.quantisation.scales == "channel" and made.quantisation.weights_zero_points == "none"
    leaky = tileplan.Epilogue(bias=True, activation="leaky=0.1")
    for words in ("relu", "bias,silu", "alpha=2"):
        with pytest.raises(tileplan.Error, match=f'^activation is "{words}"; must be none, leaky=ALPHA'):
            tileplan.Epilogue(activation=words)
    assert leaky == tileplan.parse_epilogue("bias,leaky=0.1") and leaky.activation == "leaky=0.1"
    with pytest.raises(tileplan.Error, match="^granularity: row; must be none, tensor or channel$"):
        tileplan.Quantisation(scales="row")


def test_records_are_found_again(tmp_path):
    records = tileplan.Records(str(tmp_path / "records.db"))
    first = tileplan.plan("m16n16k16", HOST, records=records, verify=2)
    measured = [each.measurement for each in first.candidates[:2]]
    if any(each is None or each.kept < 5 for each in measured):
        pytest.skip("other programs disturbed the samples, so that they are measured again")
    stored = records.find()
    again = tileplan.plan("m16n16k16", HOST, records=records, verify=2)
    assert len(records.find()) == 2 and {each.schedule for each in stored} == {str(each.schedule) for each in first.candidates[:2]}
    assert again.candidates[0].measurement.taken in {each.taken for each in stored}
    other = tileplan.Records(str(tmp_path / "other.db"))
    assert other.merge(str(tmp_path / "records.db")) == 2 and other.merge(str(tmp_path / "records.db")) == 0
    assert tileplan.records_path().endswith("records.db")


def test_an_explanation_has_all_parts():
    product = tileplan.explain("m128n128k128", HOST).gemm
    assert product.blocks.mr > 0 and product.occupancy[0].operand in ("A", "B", "C")
    tiled = tileplan.explain("mb1ic64ih28oc64oh28kh3ph1", HOST, algorithm="winograd")
    assert {box.name for box in tiled.boxes} == {"V", "M"} and tiled.candidate.schedule.winograd
    assert [stage.name for stage in tiled.candidate.prediction.stages] == ["input transform", "products", "output transform"]


def test_the_package_has_types():
    folder = pathlib.Path(tileplan.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_tileplan.pyi").read_text(encoding="utf-8")
    assert "class Plan:" in stub and "def pack_weights(self, array: Any, zero_points: Any = None) -> Packed" in stub
