#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays what `tileplan candidates PROBLEM --format metaschedule` wrote in TVM (0.27), as explicit
Split, Reorder, Parallel, Unroll and Vectorize.

Prints one JSON object per candidate: its schedule text, the predicted seconds and, with --measure
or --database, the measured seconds if the output equals NumPy's. With --database, candidates with a
right output are added to TVM's tuning database in that folder. Exit status 1 when an output is
wrong."""

import argparse
import json
import os
import sys

import numpy as np
import tvm
from tvm import te
from tvm.s_tir import Schedule, meta_schedule
from tvm.target import codegen

BLOCK = "product"
# Tiles of more vectors than this are stored by a loop. AVX-512 has 32 vector registers.
MOST_UNROLLED = 64


def value_of(expression, axes):
    """Returns the value of an index such as "2*h + r", given the values `axes` by name."""
    value = 0
    for term in expression.split(" + "):
        factor, _, name = term.rpartition("*")
        value = value + (int(factor) if factor else 1) * (0 if name == "0" else axes[name])
    return value


def prim_func_of(computation):
    """Returns TVM's function for out += left * right over the dims of the computation."""
    left, right, out = computation["tensors"]
    tensors = [te.placeholder(each["shape"], name=each["name"]) for each in (left, right)]
    reductions = {name: te.reduce_axis((0, computation["dims"][name]), name=name)
                  for name in computation["reductions"]}

    def body(*indices):
        axes = dict(zip(out["index"], indices)) | reductions
        reads = [tensor[tuple(value_of(index, axes) for index in each["index"])]
                 for tensor, each in zip(tensors, (left, right))]
        return te.sum(reads[0] * reads[1], axis=list(reductions.values()))

    result = te.compute(out["shape"], body, name=BLOCK)
    return te.create_prim_func([*tensors, result])


def replay(function, line):
    """Returns a schedule of `function` with the loops of `line`."""
    computation = line["computation"]
    schedule = Schedule(function)
    block = schedule.get_sblock(BLOCK)
    own = dict(zip([*computation["tensors"][2]["index"], *computation["reductions"]],
                   schedule.get_loops(block)))
    parts = {}
    for dim, loop in own.items():
        trips = [each["trips"] for each in line["loops"] if each["dim"] == dim]
        parts[dim] = list(schedule.split(loop, trips)) if len(trips) > 1 else [loop]
    ordered = [(each, parts[each["dim"]].pop(0)) for each in line["loops"]]
    if len(ordered) > 1:
        schedule.reorder(*[loop for _, loop in ordered])
    kinds = {"parallel": schedule.parallel, "unroll": schedule.unroll, "vector": schedule.vectorize}
    for each, loop in ordered:
        if each["kind"] in kinds:
            kinds[each["kind"]](loop)
    summed = [i for i, (each, _) in enumerate(ordered) if each["dim"] in computation["reductions"]]
    if summed and summed[0] > 0:
        keep_sums(schedule, block, len(ordered) - summed[0], line["loops"][-1]["trips"])
    if summed:
        schedule.decompose_reduction(block, ordered[summed[0]][1])
    return schedule


def keep_sums(schedule, block, inside, lanes):
    """Keeps the sums over the `inside` innermost loops in a buffer, and in registers when they fit.

    Stores them a vector at a time after these loops."""
    loops = schedule.get_loops(block)
    outside = len(loops) - inside
    store = schedule.cache_write(block, 0, "local")
    schedule.reverse_compute_at(store, loops[outside - 1])
    own = schedule.get_loops(store)[outside:]
    vectors = 1
    for loop in own:
        vectors *= schedule.get(loop).extent.value
    *rows, row = own
    *rest, vector = schedule.split(row, [None, lanes])
    schedule.vectorize(vector)
    if vectors <= MOST_UNROLLED * lanes:
        for loop in [*rows, *rest]:
            schedule.unroll(loop)


def expected_output(computation, arrays):
    """Returns the output, for which NumPy adds a product of input slices per reduction step."""
    dims = computation["dims"]
    left, right, out = computation["tensors"]
    total = np.zeros(out["shape"], "float32")
    grids = dict(zip(out["index"], np.ogrid[tuple(slice(0, size) for size in out["shape"])]))
    for point in np.ndindex(*[dims[name] for name in computation["reductions"]]):
        axes = grids | dict(zip(computation["reductions"], point))
        total += np.multiply(*[array[tuple(value_of(index, axes) for index in each["index"])]
                               for array, each in zip(arrays, (left, right))])
    return total


def measured_seconds(schedule, target, arrays, expected):
    """Returns the median of 5 groups of runs, or None when the output is wrong."""
    compiled = tvm.compile(schedule.mod, target=target)
    device = tvm.cpu()
    arguments = [tvm.runtime.tensor(each, device) for each in arrays]
    arguments.append(tvm.runtime.tensor(np.zeros_like(expected), device))
    compiled(*arguments)
    # Inputs are small whole numbers, whose sums of products are exact in any order.
    if not np.array_equal(arguments[-1].numpy(), expected):
        return None
    timer = compiled.mod.time_evaluator("main", device, repeat=5, min_repeat_ms=20)
    return float(np.median(timer(*arguments).results))


def opened_database(folder):
    """Opens the database in `folder`, whose files have the names that TVM's own tuner uses."""
    os.makedirs(folder, exist_ok=True)
    return meta_schedule.database.JSONDatabase(os.path.join(folder, "database_workload.json"),
                                               os.path.join(folder, "database_tuning_record.json"))


def add_record(database, schedule, module, target, seconds):
    """Adds `schedule` of `module` to `database`, with the seconds of one measurement."""
    database.commit_tuning_record(meta_schedule.database.TuningRecord(
        schedule.trace, database.commit_workload(module), [seconds], target,
        meta_schedule.arg_info.ArgInfo.from_entry_func(module, False)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=0, help="candidates to replay (0: all)")
    parser.add_argument("--measure", action="store_true", help="build, check and time each")
    parser.add_argument("--database", help="folder of TVM's database; measures")
    parser.add_argument("--target", help="of TVM, as JSON (this CPU)")
    flags = parser.parse_args()
    measures = flags.measure or flags.database is not None
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [json.loads(each) for each in file if each.strip()]
    lines = lines[:flags.top] if flags.top else lines
    computation = lines[0]["computation"]
    function = prim_func_of(computation)
    target = tvm.target.Target(json.loads(flags.target) if flags.target else
                               {"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu(),
                                "num-cores": os.cpu_count()})
    random = np.random.default_rng(1)
    arrays = [random.integers(-4, 5, each["shape"]).astype("float32")
              for each in computation["tensors"][:2]]
    expected = expected_output(computation, arrays) if measures else None
    database = opened_database(flags.database) if flags.database else None
    wrong = 0
    for line in lines:
        schedule = replay(function, line)
        seconds = measured_seconds(schedule, target, arrays, expected) if measures else None
        wrong += measures and seconds is None
        if database is not None and seconds is not None:
            add_record(database, schedule, tvm.IRModule({"main": function}), target, seconds)
        print(json.dumps({"schedule": line["schedule"], "predicted_s": line["predicted_s"],
                          "measured_s": seconds}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
