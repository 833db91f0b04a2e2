#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `tileplan plan --verify 10` choose equally fast schedules twice, beside a process that burns its core half of the time?

Each repetition plans twice. Where the picks differ, both run in turns on the quiet core; the ratio of their medians is printed.
"""
import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import time

CORE = 0
TURNS = 5


def burn():
    """Busy and idle for 0.2 to 2 s each, in turns, until killed."""
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


def ratio(options, first, second):
    times = {first: [], second: []}
    for _ in range(TURNS):
        for schedule in (first, second):
            times[schedule].append(tileplan(options.program, "run", options.problem, "--schedule", schedule)["median_s"])
    return statistics.median(times[second]) / statistics.median(times[first])


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
        text = "same" if first == second else f"{ratio(options, first, second):.3f}"
        print(f"{text}  {first}  |  {second}", flush=True)


main()
