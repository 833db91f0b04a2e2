#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast is the schedule that `tileplan plan` names without measuring, beside the one that `plan --verify 10` picks?

Plans each layer both ways and runs both schedules in adjacent pairs of one process. Prints the predicted and the measured time of
the verified choice, the plain plan's speed as a share of the verified one's with its 95 % interval, and a summary of the layers
that could be judged. tools/random_problems.py writes tables of problems that nobody tuned for.
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


def rows(path):
    with open(path, newline="") as file:
        return [(row["name"], row["problem"]) for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def first(program, problem, *flags):
    return tileplan(program, "plan", problem, *flags)["candidates"][0]


def share(program, problem, plain, verified):
    """Returns the share with its interval, or the reason why there is none."""
    if plain == verified:
        return (1.0, 1.0, 1.0)
    pair = tileplan(program, "run", problem, "--schedule", plain, "--against", verified, "--budget", PAIR_SECONDS)["against"][0]
    if pair["ratio"] is None:
        return pair["reason"]
    return (pair["ratio"], pair["ratio_low"], pair["ratio_high"])


def judge(program, name, problem):
    """Prints the row of one layer. Returns its share and predicted over measured time, where they are known."""
    try:
        return judge_plans(program, name, problem)
    except subprocess.CalledProcessError as error:
        message = error.stderr.strip().replace('"', "'")
        print(f'{name},{problem},,,,,,,"{message}"', flush=True)
        return None, None


def judge_plans(program, name, problem):
    plain = first(program, problem)["schedule"]
    verified = first(program, problem, "--verify", "10", "--no-records")
    predicted, measured = verified["predicted_s"], verified["measured_s"]
    times = f"{name},{problem},{predicted * 1e6:.3f}," + (f"{measured * 1e6:.3f},{predicted / measured:.3f}" if measured else ",")
    found = share(program, problem, plain, verified["schedule"])
    print(times + (f',,,,"{found}"' if isinstance(found, str) else ",{:.3f},{:.3f},{:.3f},".format(*found)), flush=True)
    return None if isinstance(found, str) else found[0], predicted / measured if measured else None


def summary(judged):
    shares = [share for share, _ in judged if share]
    ratios = [ratio for _, ratio in judged if ratio]
    if shares:
        mean = math.exp(sum(map(math.log, shares)) / len(shares))
        close = sum(share >= 0.95 for share in shares)
        print(f"# speed of the plain plan: mean {mean:.4f}, lowest {min(shares):.3f}, at least 0.95 on {close} of {len(shares)}")
    if ratios:
        close = sum(0.8 <= ratio <= 1.25 for ratio in ratios)
        print(f"# predicted over measured: {min(ratios):.2f} to {max(ratios):.2f}, 0.80 to 1.25 on {close} of {len(ratios)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="+", help="layer tables (name,problem)")
    parser.add_argument("--program", default="build/tileplan")
    options = parser.parse_args()
    print("layer,problem,predicted_us,measured_us,predicted_over_measured,share,low,high,disturbed")
    summary([judge(options.program, *row) for path in options.layers for row in rows(path)])


if __name__ == "__main__":
    main()
