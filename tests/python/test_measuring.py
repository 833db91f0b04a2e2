# SPDX-License-Identifier: Apache-2.0
"""Executors measure what this process measures, and no result is lost when workers die, hang or give wrong answers."""
import concurrent.futures
import functools
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import tileplan

HOST = tileplan.detect_machine()
TYPE = tileplan.machine_type(HOST)
# The full test is part of `./run test-fleet`.
FULL = os.environ.get("TILEPLAN_FULL") == "1"
KILLS = 50 if FULL else 4
PROBLEMS = [f"m{16 * i}n64k64" for i in range(1, 13 if FULL else 3)]
COUNT = 5 * len(PROBLEMS)
OPTIONS = dict(verify=5, budget_seconds=0.5)
NEVER_QUIET = "worker: never quiet"


def pool():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tileplan"])
    return concurrent.futures.ProcessPoolExecutor(2, mp_context=context)


@functools.cache
def serial():
    return tileplan.tune(PROBLEMS, **OPTIONS)


def key(result):
    record = result.record
    return record.problem, record.schedule, record.machine, record.regime, record.version


def keys(tuned):
    return {machine: [key(result) for result in results] for machine, results in tuned.items()}


def is_measured(result):
    return bool(result.record.samples) or result.record.failure.startswith(NEVER_QUIET)


def check_equal_to_serial(tuned):
    assert keys(tuned) == keys(serial()) and len(tuned[TYPE]) == COUNT
    assert all(map(is_measured, tuned[TYPE]))


def test_a_process_measures_what_a_pool_measures():
    check_equal_to_serial(serial())
    check_equal_to_serial(tileplan.tune(PROBLEMS, pool, **OPTIONS))
    with pool() as executor:
        check_equal_to_serial(tileplan.tune(PROBLEMS, executor, **OPTIONS))
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        check_equal_to_serial(tileplan.tune(PROBLEMS, executor, **OPTIONS))


def test_dask_measures_what_a_process_measures():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        check_equal_to_serial(tileplan.tune(PROBLEMS, client.get_executor(pure=False), **OPTIONS))


MPI_PROGRAM = """
import sys
from mpi4py.futures import MPIPoolExecutor
import tileplan

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        tuned = tileplan.tune(sys.argv[2:], executor, verify=5, budget_seconds=0.5)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.writelines(result.to_json() + "\\n" for results in tuned.values() for result in results)
"""


def test_mpi_ranks_measure_what_a_process_measures(tmp_path):
    pytest.importorskip("mpi4py")
    if subprocess.run(["which", "mpiexec"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("there is no mpiexec")
    (tmp_path / "program.py").write_text(MPI_PROGRAM, encoding="utf-8")
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    subprocess.run(["mpiexec", *as_root, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures",
                    str(tmp_path / "program.py"), str(tmp_path / "out"), *PROBLEMS], check=True, timeout=120)
    requests = tileplan.requests(PROBLEMS, **OPTIONS)
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    results = [tileplan.parse_result(line, request) for line, request in zip(lines, requests, strict=True)]
    check_equal_to_serial({TYPE: results})


def test_requests_and_results_are_text_that_any_worker_can_carry():
    request = tileplan.requests("m16n64k64", verify=1)[0]
    assert pickle.loads(pickle.dumps(tileplan.measure)) is tileplan.measure
    line = tileplan.measure(request.to_json())
    result = tileplan.parse_result(line, request)
    fields = json.loads(line)
    assert fields["machine"] == request.machine == TYPE and fields["version"].startswith(tileplan.__version__)
    assert result.disturbed == fields["disturbed"] >= 0 and result.seconds >= result.waiting_seconds >= 0
    with pytest.raises(tileplan.Error, match="line 1: request: not JSON"):
        tileplan.measure("nonsense")
    with pytest.raises(tileplan.Error, match="0 requests; must be one"):
        tileplan.measure("")


def test_a_worker_of_another_type_says_so():
    other = tileplan.load_machine("epyc-7282")
    if tileplan.host_mismatch(other) is None:
        pytest.skip("this host is the other type")
    tuned = tileplan.tune("m16n64k64", machine=other, verify=2, retries=1) | tileplan.tune("m16n64k64", verify=2)
    assert list(tuned) == [tileplan.machine_type(other), TYPE]
    for result in tuned[tileplan.machine_type(other)]:
        assert result.record.failure == f"worker: this machine is {TYPE}; must be {tileplan.machine_type(other)}"
        assert not result.record.lasting
    assert tuned.best(TYPE) and "2 results, 2 failed" in tuned._repr_html_()
    with pytest.raises(tileplan.Error, match="machine: None"):
        tuned.best()


class Lying(concurrent.futures.Executor):
    """Gives `answers` first, from the last to the first, and right answers afterwards. Raises those that are exceptions."""

    def __init__(self, answers):
        self.answers = list(answers)

    def submit(self, fn, /, *args, **kwargs):
        future = concurrent.futures.Future()
        answer = self.answers.pop() if self.answers else fn(*args, **kwargs)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future


OTHER = tileplan.requests("m8n8k8", verify=1)[0]


@pytest.mark.parametrize("wrong, reason", [
    ("nonsense", "not JSON"), (7, "int; must be text"), ("{}", "problem: missing"), (MemoryError("none left"), "none left"),
    (tileplan.measure(OTHER.to_json()), "problem is m8n8k8; must be m16n64k64")])
def test_nonsense_costs_a_retry_and_then_is_a_failure(wrong, reason):
    good = tileplan.tune("m16n64k64", Lying([wrong] * 2), verify=1, retries=2)[TYPE]
    assert is_measured(good[0])
    bad = tileplan.tune("m16n64k64", Lying([wrong] * 3), verify=1, retries=2)[TYPE]
    assert bad[0].record.failure.startswith("worker: ") and reason in bad[0].record.failure
    assert key(bad[0]) == key(good[0])


class Dead(concurrent.futures.Executor):
    def submit(self, fn, /, *args, **kwargs):
        raise concurrent.futures.BrokenExecutor("all workers are dead")


def test_an_executor_that_never_works_ends_in_failures():
    for executor in (Dead(), Dead):
        results = tileplan.tune("m16n64k64", executor, verify=3, retries=1)[TYPE]
        assert len(results) == 3 and all("all workers are dead" in each.record.failure for each in results)


class Harm:
    """Sends the signal `number` to random children of this process, at most `count` times, after pauses of at most
    `longest` seconds."""

    def __init__(self, number, count, longest):
        self.hits, self._done = 0, False
        self._number, self._count, self._longest = number, count, longest
        self._thread = threading.Thread(target=self._work)

    def _work(self):
        chance = random.Random(7)
        while self.hits < self._count and not self._done:
            time.sleep(chance.uniform(0.02, self._longest))
            children = multiprocessing.active_children()
            if children:
                os.kill(chance.choice(children).pid, self._number)
                self.hits += 1

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._done = True
        self._thread.join()


def test_workers_that_are_killed_lose_nothing():
    with Harm(signal.SIGKILL, KILLS, 0.5) as harm:
        while harm.hits < KILLS:
            check_equal_to_serial(tileplan.tune(PROBLEMS, pool, retries=KILLS, **OPTIONS))
    with Harm(signal.SIGKILL, 1, 0.1), pool() as executor:
        assert keys(tileplan.tune(PROBLEMS, executor, **OPTIONS)) == keys(serial())


def test_a_worker_that_hangs_is_replaced():
    with Harm(signal.SIGSTOP, 2, 0.2):
        check_equal_to_serial(tileplan.tune(PROBLEMS, pool, patience=2, retries=5, **OPTIONS))


def test_results_in_the_records_are_not_measured_again(tmp_path):
    path = tmp_path / "records.db"
    first = tileplan.tune(PROBLEMS[0], records=path, **OPTIONS)[TYPE]
    steps = []
    again = tileplan.tune(PROBLEMS[0], Dead(), records=path, progress=lambda done, all: steps.append((done, all)), **OPTIONS)[TYPE]
    for old, new in zip(first, again, strict=True):
        assert new.record == old.record if old.record.lasting else "dead" in new.record.failure
    assert len(tileplan.Records(str(path)).find(problem=PROBLEMS[0], machine=TYPE)) >= 5
    assert len(steps) == sum(not each.record.lasting for each in first)


def test_plans_are_measured_as_they_are_and_counts_are_checked():
    plan = tileplan.plan("m16n64k64", top=3)
    schedules = [request.schedule for request in tileplan.requests([plan, "m8n8k8"], verify=2)]
    assert schedules[:2] == [each.schedule for each in plan.candidates[:2]] and len(schedules) == 4
    with pytest.raises(tileplan.Error, match="verify: 0; must be at least 1"):
        tileplan.tune(plan, verify=0)
    with pytest.raises(tileplan.Error, match="retries: -1"):
        tileplan.tune(plan, retries=-1)


INTERRUPTED = f"""
import signal
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_measuring, tileplan
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background jobs ignore Ctrl-C.
    try:
        tileplan.tune([f"m{{i}}n64k64" for i in range(1, 200)], test_measuring.pool, records=sys.argv[1], budget_seconds=0.5,
                      progress=lambda done, all: print(done, flush=True))
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


def test_ctrl_c_ends_tuning_and_keeps_what_was_measured(tmp_path):
    (tmp_path / "program.py").write_text(INTERRUPTED, encoding="utf-8")
    program = subprocess.Popen([sys.executable, str(tmp_path / "program.py"), str(tmp_path / "records.db")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(5):
        program.stdout.readline()
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate(timeout=30)
    assert out.endswith("stopped\n") and errors == ""
    assert len(tileplan.Records(str(tmp_path / "records.db")).find()) >= 5


def test_in_this_process_each_result_is_kept_before_the_next_measurement(monkeypatch):
    measured, at_progress = [], []
    plain = tileplan._measuring.measure
    monkeypatch.setattr(tileplan._measuring, "measure", lambda request: measured.append(request) or plain(request))
    tileplan.tune("m16n64k64", verify=6, budget_seconds=0.2, progress=lambda done, all: at_progress.append(len(measured)))
    assert len(at_progress) == 6 and at_progress == sorted(set(at_progress))


class LikeDask(concurrent.futures.ThreadPoolExecutor):
    """Has a shutdown() with the signature of that of Dask's executors, which do not know cancel_futures."""

    def shutdown(self, wait=True):
        super().shutdown(wait=wait)


def test_a_function_may_make_executors_like_those_of_dask():
    tuned = tileplan.tune("m16n64k64", lambda: LikeDask(1), verify=2, budget_seconds=0.2)
    assert sum(len(each) for each in tuned.values()) == 2


class InterruptedLock:
    """Raises KeyboardInterrupt in the main thread, instead of taking the lock, when `left` counted down to zero."""

    def __init__(self, left):
        self._lock, self._left = threading.RLock(), left
        self.release, self._is_owned = self._lock.release, self._lock._is_owned

    def acquire(self, *args, **kwargs):
        if threading.current_thread() is threading.main_thread() and next(self._left) == 0:
            raise KeyboardInterrupt
        return self._lock.acquire(*args, **kwargs)

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *error):
        self.release()


class Interrupting(concurrent.futures.Executor):
    """Interrupts the main thread when it locks a future for the `count`-th time."""

    def __init__(self, count):
        self.futures, self._left = [], itertools.count(count - 1, -1)

    def submit(self, fn, /, *args, **kwargs):
        future = concurrent.futures.Future()
        future._condition = threading.Condition(InterruptedLock(self._left))
        self.futures.append(future)
        threading.Thread(target=future.set_result, args=("nonsense",)).start()
        return future


def test_an_interrupt_leaves_no_future_locked():
    plan, interrupts = tileplan.plan("m16n64k64", top=5), 0
    for count in range(1, 40):
        executor = Interrupting(count)
        try:
            tileplan.tune(plan, executor, verify=5, retries=0)
        except KeyboardInterrupt:
            interrupts += 1
        with concurrent.futures.ThreadPoolExecutor(1) as other:
            for future in executor.futures:
                assert other.submit(future._condition.acquire, timeout=10).result()
    assert interrupts >= 10


ENDED = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_measuring, tileplan
if __name__ == "__main__":
    for _ in range(3):
        tileplan.tune("m16n64k64", test_measuring.pool, verify=2, budget_seconds=0.5)
"""


def test_a_program_that_tuned_ends_without_a_word(tmp_path):
    (tmp_path / "program.py").write_text(ENDED, encoding="utf-8")
    ended = subprocess.run([sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, timeout=60, check=True)
    assert ended.stdout == ""
