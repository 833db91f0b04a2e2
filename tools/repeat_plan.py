#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `tileplan plan --verify 10` choose equally fast schedules twice, beside a process that burns its core half of the time?

Each repetition plans twice. Where the picks differ, both run in adjacent pairs of one process on the quiet core; the median of
the ratios is printed with its 95 % interval, second pick over first.
"""
import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import time

CORE = 0
PAIR_SECONDS = "20"


def burn():
    """Keeps the core busy and idle in turns, for 0.2 to 2 s each, until it is killed."""
    os.sched_setaffinity(0, {CORE})
    while True:
        end = time.monotonic() + random.uniform(0.2, 2)
        while time.monotonic() < end:
            pass
        time.sleep(random.uniform(0.2, 2))


@contextlib.contextmanager
def disturbed():
    process = subprocess.Popen([sys.executable, __file__, "--burn"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def tileplan(program, *arguments):
    command = ["taskset", "-c", str(CORE), program, *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def pick(options):
    plan = tileplan(options.program, "plan", options.problem, "--verify", "10", "--budget", "15", "--no-records")
    return plan["candidates"][0]["schedule"]


def comparison(options, first, second):
    if first == second:
        return "same"
    run = tileplan(options.program, "run", options.problem, "--schedule", first, "--against", second, "--budget", PAIR_SECONDS)
    pair = run["against"][0]
    if pair["ratio"] is None:
        return pair["reason"]
    return f"{pair['ratio']:.3f} [{pair['ratio_low']:.3f}, {pair['ratio_high']:.3f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", nargs="?", default="mb1ic64ih28oc64oh28kh3ph1")
    parser.add_argument("--program", default="build/tileplan")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--burn", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.burn:
        burn()
    pairs = []
    with disturbed():
        for _ in range(options.repetitions):
            pairs.append((pick(options), pick(options)))
    for first, second in pairs:
        print(f"{comparison(options, first, second)}  {first}  |  {second}", flush=True)


main()
