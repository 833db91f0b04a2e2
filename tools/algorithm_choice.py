#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `tileplan plan --algorithm any`, which measures nothing, name the faster algorithm of each convolution?

On the layers that have a Winograd schedule, the choice runs beside the plan of the other algorithm, in adjacent pairs of one process.
A choice is right if the other algorithm takes at least 0.95 of its time.
"""
import argparse
import math
import subprocess

from plain_plan import rows, tileplan

PAIR_SECONDS = "2"
RIGHT = 0.95


def plan(program, problem, algorithm):
    """Returns the first schedule, or nothing where the algorithm is impossible."""
    try:
        return tileplan(program, "plan", problem, "--algorithm", algorithm)["candidates"][0]["schedule"]
    except subprocess.CalledProcessError:
        return None


def judge(program, name, problem):
    """Prints the row of one layer. Returns the time of the other algorithm over that of the choice, or nothing."""
    winograd = plan(program, problem, "winograd")
    if winograd is None:
        return None
    chosen = plan(program, problem, "any")
    is_winograd = "winograd=" in chosen
    other = plan(program, problem, "direct") if is_winograd else winograd
    pair = tileplan(program, "run", problem, "--schedule", chosen, "--against", other, "--budget", PAIR_SECONDS)["against"][0]
    algorithm = "winograd" if is_winograd else "direct"
    if pair["ratio"] is None:
        print(f'{name},{problem},{algorithm},,,,"{pair["reason"]}"', flush=True)
        return None
    print(f"{name},{problem},{algorithm},{pair['ratio']:.3f},{pair['ratio_low']:.3f},{pair['ratio_high']:.3f},", flush=True)
    return pair["ratio"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="+", help="layer tables (name,problem)")
    parser.add_argument("--program", default="build/tileplan")
    options = parser.parse_args()
    print("layer,problem,chosen,ratio,low,high,disturbed")
    judged = [judge(options.program, *row) for path in options.layers for row in rows(path)]
    ratios = [ratio for ratio in judged if ratio]
    if ratios:
        right = sum(ratio >= RIGHT for ratio in ratios)
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"# right on {right} of {len(ratios)}, lowest {min(ratios):.3f}, mean {mean:.3f}")


main()
