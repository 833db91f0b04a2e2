#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes what `tileplan candidates PROBLEM --format metaschedule` wrote by TVM's own tuner (0.27,
evolutionary search) twice per seed: from scratch, and with the first candidates measured into its
database. Candidates count as trials.

After both tunings, the trials of each side that were fastest at first and the first candidate are
measured again, in this process, in rounds of shuffled order; each counts with its median. A side
needed as many trials as the number (from 1) of its first trial whose median is within --within of
the smallest median of both sides, or one more than its trials if it has none.

With --gains, it prints instead the median seconds of the unscheduled module, of the best that the
tuner finds in the wall time that replaying and measuring the candidates took (null when it measures
nothing so early) and in --longer times as much, with at least --least trials, of the first candidate
and of the fastest.

Without --gains, it prints one JSON object: of each seed what both sides needed and reached, and the
sums over all seeds. Exit status 1 unless the tuner that starts from the candidates needs fewer
trials in all."""

import argparse
import itertools
import json
import logging
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections import namedtuple

import numpy as np
import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule
from tvm.target import codegen

from metaschedule_replay import add_record, prim_func_of, replay

ROUND_MS = 5  # A sample of the second measurement lasts at least this long.
DEFAULT_ROUNDS = 2  # TVM's default loops take seconds for a large product.

# `at` tells when the measurement ended, in seconds of time.perf_counter().
Trial = namedtuple("Trial", "compiled seconds at")


class TimeIsUp(Exception):
    """Ends a tuning. TVM may raise it as another type."""


@derived_object
class Builder(meta_schedule.builder.PyBuilder):
    """Compiles in this process. An artifact is a position in `built`."""

    def __init__(self, built):
        super().__init__()
        self.built = built

    def build(self, build_inputs):
        results = []
        for each in build_inputs:
            try:
                self.built.append(tvm.compile(each.mod, target=each.target))
                results.append(meta_schedule.builder.BuilderResult(str(len(self.built) - 1), None))
            except Exception as error:  # Any failure to build is the candidate's result.
                results.append(meta_schedule.builder.BuilderResult(None, str(error)))
        return results


@derived_object
class Known(meta_schedule.runner.PyRunnerFuture):
    """Holds a result that exists already."""

    def __init__(self, known):
        super().__init__()
        self.known = known

    def done(self):
        return True

    def result(self):
        return self.known


@derived_object
class Runner(meta_schedule.runner.PyRunner):
    """Runs what Builder built, in this process; adds each to `trials`. Raises TimeIsUp after time
    `end`, when there are `least` trials."""

    def __init__(self, built, arrays, trials, end, least):
        super().__init__()
        self.built, self.arrays, self.trials = built, arrays, trials
        self.end, self.least = end, least
        self.is_over = False

    def run(self, runner_inputs):
        futures = []
        for each in runner_inputs:
            if time.perf_counter() > self.end and len(self.trials) >= self.least:
                self.is_over = True
                raise TimeIsUp
            trial = trial_of(self.built[int(each.artifact_path)], self.arrays)
            self.trials.append(trial)
            futures.append(Known(meta_schedule.runner.RunnerResult([trial.seconds], None)))
        return futures


def trial_of(compiled, arrays):
    """Returns a trial with the time of the fastest of 3 groups of runs."""
    timer = compiled.mod.time_evaluator("main", tvm.cpu(), repeat=3, min_repeat_ms=2 * ROUND_MS)
    return Trial(compiled, float(min(timer(*arrays).results)), time.perf_counter())


def seeded(database, module, target, schedules, own):
    """Adds `schedules` of `module` to `database`, each with the time of its trial in `own`."""
    for schedule, trial in zip(schedules, own):
        add_record(database, schedule, module, target, trial.seconds)


def tune(database, module, flags, seed, arrays, trials, most, end=math.inf):
    """Returns `trials` and the trials of the tuner, at most `most` in all. The tuner stops after
    time `end` when there are `flags.least` trials, or earlier when it finds no new candidates."""
    built, trials = [], list(trials)
    runner = Runner(built, arrays, trials, end, flags.least)
    try:
        with tempfile.TemporaryDirectory() as folder:
            meta_schedule.tune_tir(
                module, flags.target, folder, max_trials_global=most - len(trials),
                num_trials_per_iter=flags.batch, builder=Builder(built), runner=runner,
                database=database, cost_model=flags.cost_model,
                measure_callbacks=[meta_schedule.measure_callback.AddToDatabase()],
                num_tuning_cores=1, seed=seed)
    except Exception:
        if not runner.is_over:
            raise
    return trials


def fastest(trials, count):
    """Returns the positions of the `count` fastest trials."""
    return sorted(range(len(trials)), key=lambda i: trials[i].seconds)[:count]


def medians(finalists, arrays, rounds, seed):
    """Returns the seconds of each compiled module in the dict `finalists`, by key."""
    timers = {key: compiled.mod.time_evaluator("main", tvm.cpu(), repeat=1, min_repeat_ms=ROUND_MS)
              for key, compiled in finalists.items()}
    samples = {key: [] for key in timers}
    order, shuffler = list(timers), random.Random(seed)
    for _ in range(rounds):
        shuffler.shuffle(order)
        for key in order:
            samples[key].append(float(timers[key](*arrays).results[0]))
    return {key: statistics.median(each) for key, each in samples.items()}


def trials_needed(trials, times, limit):
    """Returns the number, from 1, of the first trial with times[position] <= `limit`, or one more
    than the number of trials if there is none."""
    return min((i + 1 for i, seconds in times.items() if seconds <= limit), default=len(trials) + 1)


def compared(seed, scratch, started, flags, arrays):
    """Returns the trials and the best times of both sides, by medians over rounds."""
    sides = {"scratch": scratch, "started": started}
    finalists = {("started", 0): started[0].compiled}
    for side, trials in sides.items():
        finalists |= {(side, i): trials[i].compiled for i in fastest(trials, flags.finalists)}
    times = medians(finalists, arrays, flags.rounds, seed)
    limit = min(times.values()) * (1 + flags.within)
    result = {"seed": seed, "first_candidate_s": times["started", 0]}
    for side, trials in sides.items():
        own = {i: seconds for (name, i), seconds in times.items() if name == side}
        result[side + "_best_s"] = min(own.values())
        result[side + "_trials"] = trials_needed(trials, own, limit)
    return result


def gains(module, function, lines, flags, arrays):
    """Returns the object that --gains prints for the problem that all `lines` solve."""
    begin = time.perf_counter()
    compiled = [tvm.compile(replay(function, each).mod, target=flags.target) for each in lines]
    own = [trial_of(each, arrays) for each in compiled]
    budget, begin = time.perf_counter() - begin, time.perf_counter()
    database, trials = meta_schedule.database.MemoryDatabase(), []
    end = begin + flags.longer * budget
    # A tuning that finds no new candidates ends early; another seed goes on.
    for seed in itertools.count(1):
        trials = tune(database, module, flags, seed, arrays, trials, 1 << 20, end)
        if time.perf_counter() > end and len(trials) >= flags.least:
            break
    tuner_wall = time.perf_counter() - begin
    early = sum(each.at <= begin + budget for each in trials)
    finalists = {("early", i): trials[i].compiled
                 for i in fastest(trials[:early], flags.finalists)}
    finalists |= {("late", i): trials[i].compiled for i in fastest(trials, flags.finalists)}
    finalists |= {("own", i): each.compiled for i, each in enumerate(own)}
    times = medians(finalists, arrays, flags.rounds, 1)
    default = tvm.compile(module, target=flags.target)
    times |= medians({("default", 0): default}, arrays, DEFAULT_ROUNDS, 1)

    def best(side):
        return min((seconds for (name, _), seconds in times.items() if name == side), default=None)

    return {"client": "tvm", "problem": lines[0]["problem"], "candidates": len(lines),
            "default_s": best("default"), "tuner_s": best("early"), "tuner_trials": early,
            "longer_s": best("late"), "longer": tuner_wall / budget, "longer_trials": len(trials),
            "first_s": times["own", 0], "best_s": best("own")}


def flags_of_command_line():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=16, help="candidates to start from")
    parser.add_argument("--trials", type=int, default=64, help="of each run, candidates included")
    parser.add_argument("--batch", type=int, default=16, help="trials between updates of the model")
    parser.add_argument("--cost-model", default="xgb", help="of the tuner: xgb, mlp or random")
    parser.add_argument("--seeds", type=int, default=3, help="pairs of tunings, from seed 1 on")
    parser.add_argument("--finalists", type=int, default=16, help="of each side, measured again")
    parser.add_argument("--rounds", type=int, default=15,
                        help="in which they are measured again (TVM's default loops: 2)")
    parser.add_argument("--gains", action="store_true", help="compare times instead")
    parser.add_argument("--longer", type=float, default=10,
                        help="times the wall time of the candidates that the tuner gets")
    parser.add_argument("--least", type=int, default=32, help="trials that the tuner gets anyway")
    parser.add_argument("--within", type=float, default=0.05, help="of the best, as good as it")
    return parser.parse_args()


def main():
    flags = flags_of_command_line()
    flags.target = tvm.target.Target({"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu(),
                                      "num-cores": 1})
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [json.loads(each) for each in file if each.strip()][:flags.top]
    computation = lines[0]["computation"]
    function = prim_func_of(computation)
    module = tvm.IRModule({"main": function})
    arrays = [tvm.runtime.tensor(np.ones(each["shape"], "float32"), tvm.cpu())
              for each in computation["tensors"]]
    os.environ["TVM_NUM_THREADS"] = "1"
    logging.disable(logging.INFO)  # TVM would write its log to stdout, between the results.
    if flags.gains:
        print(json.dumps(gains(module, function, lines, flags, arrays)))
        return 0
    schedules = [replay(function, each) for each in lines]
    compiled = [tvm.compile(each.mod, target=flags.target) for each in schedules]
    seeds = []
    for seed in range(1, flags.seeds + 1):
        scratch = tune(meta_schedule.database.MemoryDatabase(), module, flags, seed, arrays, [],
                       flags.trials)
        database = meta_schedule.database.MemoryDatabase()
        own = [trial_of(each, arrays) for each in compiled]
        seeded(database, module, flags.target, schedules, own)
        started = tune(database, module, flags, seed, arrays, own, flags.trials)
        seeds.append(compared(seed, scratch, started, flags, arrays))
    result = {"problem": lines[0]["problem"], "trials": flags.trials, "candidates": len(lines),
              "within": flags.within, "seeds": seeds}
    for side in ("scratch", "started"):
        result[side + "_trials"] = sum(each[side + "_trials"] for each in seeds)
    print(json.dumps(result))
    return 0 if result["started_trials"] < result["scratch_trials"] else 1


if __name__ == "__main__":
    sys.exit(main())
