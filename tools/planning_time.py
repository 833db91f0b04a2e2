#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer does `tileplan plan --algorithm any` take than `--algorithm direct`?

Plans each layer by both, in turns, and keeps the shortest time of each. Prints the milliseconds of both and their ratio for the layers
that a Winograd schedule can compute, since `any` means direct elsewhere.
"""
import argparse
import statistics

from plain_plan import rows, tileplan


def milliseconds(program, problem, algorithm):
    """Returns the planning time, and whether a Winograd convolution was considered."""
    found = tileplan(program, "plan", problem, "--algorithm", algorithm)
    return found["plan_ms"], "algorithms" in found["certificate"]


def judge(program, name, problem, repeats):
    """Prints the row of one layer. Returns both times, or nothing where Winograd's algorithm is impossible."""
    first, considers_winograd = milliseconds(program, problem, "any")
    if not considers_winograd:
        return None
    both, direct = [first], []
    for repeat in range(repeats):
        direct.append(milliseconds(program, problem, "direct")[0])
        if repeat > 0:
            both.append(milliseconds(program, problem, "any")[0])
    print(f"{name},{problem},{min(direct):.1f},{min(both):.1f},{min(both) / min(direct):.2f}", flush=True)
    return min(direct), min(both)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="+", help="layer tables (name,problem)")
    parser.add_argument("--program", default="build/tileplan")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print("layer,problem,direct_ms,any_ms,ratio")
    judged = [judge(options.program, *row, options.repeats) for path in options.layers for row in rows(path)]
    times = [pair for pair in judged if pair]
    if times:
        ratios = sorted(both / direct for direct, both in times)
        total = sum(both for _, both in times) / sum(direct for direct, _ in times)
        print(f"# {len(ratios)} layers, ratio: median {statistics.median(ratios):.2f}, highest {ratios[-1]:.2f}, "
              f"of the sums {total:.2f}, above 2 on {sum(ratio > 2 for ratio in ratios)}")


main()
