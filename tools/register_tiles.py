#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast is each register tile on one problem, in the best schedule that the model knows for it?

Plans the problem and times the first candidate of each register tile for a second. Example:

tools/register_tiles.py build/tileplan m2000n2000k2000 --seconds 1
"""
import argparse
import json
import re
import subprocess


def tileplan(*arguments):
    process = subprocess.run([*arguments, "--json"], check=True, capture_output=True, text=True)
    return json.loads(process.stdout)


def tile_of(schedule):
    """Returns the unrolled loops and the lambdas of a schedule, such as "U(8,i) U(2,j)"."""
    return " ".join(re.findall(r"U\(\d+,\w\)|L\(\w,\[[^\]]*\]\)", schedule)) or "1 x 1"


def first_of_each_tile(plan):
    schedules = {}
    for candidate in plan["candidates"]:
        schedules.setdefault(tile_of(candidate["schedule"]), candidate)
    return schedules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("problem")
    parser.add_argument("--weights", default="packed", choices=["packed", "plain"])
    parser.add_argument("--seconds", default="1", help="of measuring per tile")
    options = parser.parse_args()
    plan = tileplan(options.program, "plan", options.problem, "--weights", options.weights, "--top", "2000")
    print("tile,share of peak,measured [us],predicted [us],schedule")
    for tile, candidate in first_of_each_tile(plan).items():
        schedule = candidate["schedule"]
        run = tileplan(options.program, "run", options.problem, "--schedule", schedule, "--budget", options.seconds)
        if run["median_s"] is None:
            continue
        predicted = candidate["predicted_s"]
        print(f'{tile.replace(",", " ")},{run["share_of_peak"]:.3f},{run["median_s"] * 1e6:.1f},{predicted * 1e6:.1f},"{schedule}"',
              flush=True)


if __name__ == "__main__":
    main()
