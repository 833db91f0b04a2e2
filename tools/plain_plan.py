#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast is the schedule that `tileplan plan` names without measuring, beside the one that `plan --verify 10` picks?

Plans each layer both ways and runs both schedules in adjacent pairs of one process. Prints the plain plan's speed as a share of
the verified one's, with its 95 % interval, and the geometric mean over the layers that could be judged. With --algorithms, the
choice of `plan --algorithm any` runs beside the plan of the other algorithm instead, on the layers that have both.
"""
import argparse
import csv
import json
import math
import subprocess

PAIR_SECONDS = "6"


def tileplan(program, *arguments):
    run = subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def names(path):
    with open(path, newline="") as file:
        return [row["name"] for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def first(program, name, *flags):
    return tileplan(program, "plan", name, *flags)["candidates"][0]["schedule"]


def pair(options, name, schedule, rival):
    """Returns the rival's time over that of the schedule, with its interval, or the reason why there is none."""
    found = tileplan(options.program, "run", name, "--schedule", schedule, "--against", rival, "--budget", PAIR_SECONDS)["against"][0]
    if found["ratio"] is None:
        return found["reason"]
    return (found["ratio"], found["ratio_low"], found["ratio_high"])


def share_of_verified(options, name):
    plain = first(options.program, name)
    verified = first(options.program, name, "--verify", "10", "--no-records")
    return (1.0, 1.0, 1.0) if plain == verified else pair(options, name, plain, verified)


def share_of_other_algorithm(options, name):
    """Returns pair(), or nothing where Winograd convolutions are impossible."""
    try:
        winograd = first(options.program, name, "--algorithm", "winograd")
    except subprocess.CalledProcessError:
        return None
    chosen = first(options.program, name, "--algorithm", "any")
    return pair(options, name, chosen, first(options.program, name) if "winograd=" in chosen else winograd)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="+", help="layer tables (name,problem)")
    parser.add_argument("--program", default="build/tileplan")
    parser.add_argument("--algorithms", action="store_true", help="compare the chosen algorithm with the other one")
    options = parser.parse_args()
    share = share_of_other_algorithm if options.algorithms else share_of_verified
    shares = []
    print("layer,share,low,high,disturbed")
    for name in (name for path in options.layers for name in names(path)):
        found = share(options, name)
        if found is None:
            continue
        if isinstance(found, str):
            print(f'{name},,,,"{found}"', flush=True)
            continue
        shares.append(found[0])
        print(f"{name},{found[0]:.3f},{found[1]:.3f},{found[2]:.3f},", flush=True)
    if shares:
        print(f"# geometric mean of {len(shares)}: {math.exp(sum(map(math.log, shares)) / len(shares)):.4f}, lowest {min(shares):.3f}")


main()
