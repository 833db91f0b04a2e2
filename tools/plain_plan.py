#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast is the schedule that `tileplan plan` names without measuring, beside the one that `plan --verify 10` picks?

Plans each layer both ways and runs both schedules in adjacent pairs of one process. Prints the plain plan's speed as a share of
the verified one's, with its 95 % interval, and the geometric mean over the layers that could be judged.
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


def share(options, name):
    """Returns the share with its interval, or the reason why there is none."""
    plain = first(options.program, name)
    verified = first(options.program, name, "--verify", "10", "--no-records")
    if plain == verified:
        return (1.0, 1.0, 1.0)
    pair = tileplan(options.program, "run", name, "--schedule", plain, "--against", verified, "--budget", PAIR_SECONDS)["against"][0]
    if pair["ratio"] is None:
        return pair["reason"]
    return (pair["ratio"], pair["ratio_low"], pair["ratio_high"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="+", help="layer tables (name,problem)")
    parser.add_argument("--program", default="build/tileplan")
    options = parser.parse_args()
    shares = []
    print("layer,share,low,high,disturbed")
    for name in (name for path in options.layers for name in names(path)):
        found = share(options, name)
        if isinstance(found, str):
            print(f'{name},,,,"{found}"', flush=True)
            continue
        shares.append(found[0])
        print(f"{name},{found[0]:.3f},{found[1]:.3f},{found[2]:.3f},", flush=True)
    if shares:
        print(f"# geometric mean of {len(shares)}: {math.exp(sum(map(math.log, shares)) / len(shares)):.4f}, lowest {min(shares):.3f}")


main()
