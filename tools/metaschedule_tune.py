#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes what `tileplan candidates PROBLEM --format metaschedule` wrote by TVM's own tuner (0.27,
evolutionary search) twice: from scratch, and with the first candidates measured into its database.

Prints one JSON object: the trials of both, what they reached, and how many trials each needed for
the best time of the tuner from scratch. Candidates count as trials. Exit status 1 when the tuner
from scratch needed fewer."""

import argparse
import json
import logging
import os
import sys
import tempfile

import numpy as np
import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule
from tvm.target import codegen

from metaschedule_replay import add_record, prim_func_of, replay


@derived_object
class Builder(meta_schedule.builder.PyBuilder):
    """Compiles in this process; artifacts are their places in `built`."""

    def __init__(self, built):
        super().__init__()
        self.built = built

    def build(self, build_inputs):
        results = []
        for each in build_inputs:
            try:
                self.built.append(tvm.compile(each.mod, target=each.target))
                results.append(meta_schedule.builder.BuilderResult(str(len(self.built) - 1), None))
            except Exception as error:  # whatever a candidate of the tuner does wrong is its result
                results.append(meta_schedule.builder.BuilderResult(None, str(error)))
        return results


@derived_object
class Known(meta_schedule.runner.PyRunnerFuture):
    """A result that is there already."""

    def __init__(self, known):
        super().__init__()
        self.known = known

    def done(self):
        return True

    def result(self):
        return self.known


@derived_object
class Runner(meta_schedule.runner.PyRunner):
    """Runs what Builder built, in this process; adds the seconds of each trial to `trials`."""

    def __init__(self, built, shapes, trials):
        super().__init__()
        self.built, self.shapes, self.trials = built, shapes, trials

    def run(self, runner_inputs):
        futures = []
        for each in runner_inputs:
            self.trials.append(seconds_of(self.built[int(each.artifact_path)], self.shapes))
            futures.append(Known(meta_schedule.runner.RunnerResult([self.trials[-1]], None)))
        return futures


def seconds_of(compiled, shapes):
    """The fastest of 3 groups of runs."""
    device = tvm.cpu()
    arguments = [tvm.runtime.tensor(np.ones(shape, "float32"), device) for shape in shapes]
    timer = compiled.mod.time_evaluator("main", device, repeat=3, min_repeat_ms=10)
    return float(min(timer(*arguments).results))


def seeded(database, module, target, schedules, shapes):
    """Measures `schedules` into `database`; the seconds of each."""
    trials = []
    for each in schedules:
        trials.append(seconds_of(tvm.compile(each.mod, target=target), shapes))
        add_record(database, each, module, target, trials[-1])
    return trials


def tune(database, module, flags, shapes, trials):
    """Adds the seconds of the tuner's trials, until there are `flags.trials`."""
    built = []
    with tempfile.TemporaryDirectory() as folder:
        meta_schedule.tune_tir(
            module, flags.target, folder, max_trials_global=flags.trials - len(trials),
            num_trials_per_iter=flags.batch, builder=Builder(built),
            runner=Runner(built, shapes, trials), database=database, cost_model=flags.cost_model,
            measure_callbacks=[meta_schedule.measure_callback.AddToDatabase()],
            num_tuning_cores=1, seed=flags.seed)
    return trials


def trials_to(trials, seconds):
    """The first trial, from 1, that is no slower; None when none is."""
    return next((i + 1 for i, each in enumerate(trials) if each <= seconds), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=16, help="candidates to start from")
    parser.add_argument("--trials", type=int, default=64, help="of each run, candidates included")
    parser.add_argument("--batch", type=int, default=16, help="trials between updates of the model")
    parser.add_argument("--cost-model", default="xgb", help="of the tuner: xgb, mlp or random")
    parser.add_argument("--seed", type=int, default=1, help="of the tuner")
    flags = parser.parse_args()
    flags.target = tvm.target.Target({"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu(),
                                      "num-cores": 1})
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [json.loads(each) for each in file if each.strip()][:flags.top]
    computation = lines[0]["computation"]
    function = prim_func_of(computation)
    module = tvm.IRModule({"main": function})
    shapes = [each["shape"] for each in computation["tensors"]]
    os.environ["TVM_NUM_THREADS"] = "1"
    logging.disable(logging.INFO)  # TVM's goes to stdout
    scratch = tune(meta_schedule.database.MemoryDatabase(), module, flags, shapes, [])
    database = meta_schedule.database.MemoryDatabase()
    own = seeded(database, module, flags.target, [replay(function, each) for each in lines], shapes)
    started = tune(database, module, flags, shapes, list(own))
    goal = min(scratch)
    result = {"problem": lines[0]["problem"], "trials": flags.trials, "candidates": len(own),
              "scratch_best_s": goal, "candidates_best_s": min(own), "seeded_best_s": min(started),
              "scratch_trials_to_its_best": trials_to(scratch, goal),
              "seeded_trials_to_that": trials_to(started, goal)}
    print(json.dumps(result))
    fewer = result["seeded_trials_to_that"]
    return 0 if fewer and fewer <= result["scratch_trials_to_its_best"] else 1


if __name__ == "__main__":
    sys.exit(main())
