#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles what `tileplan candidates PROBLEM --format iree` wrote with IREE (3.13) for this CPU, and
compares each output with NumPy's.

Prints one JSON object per candidate: its schedule, and whether IREE used its tiling and computed
the right output. With --gains, prints one JSON object with the median CPU seconds, on one core, of IREE's
own choice, of its data tiling, of the first candidate and of the fastest, and checks nothing. Without
--gains, exit status 1 when a candidate is wrong, or IREE did not use its tiling."""

import argparse
import json
import random
import re
import statistics
import sys
import time

import iree.compiler as compiler
import iree.runtime as runtime
import numpy as np

FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
         "--iree-llvmcpu-target-cpu=host"]
ROUND_SECONDS = 0.02  # A candidate runs repeatedly for at least this time in each round.


class Candidate:
    """Holds a module of the file of candidates, split into the parts that this script needs."""

    def __init__(self, text):
        head = re.match(r"\s*// rank \d+\n// (.*?): (\[.*)\n", text)
        self.problem, self.schedule = head.groups()
        self.text = text[head.end():]
        self.config = re.search(r"#iree_cpu\.lowering_config<(.*)>", self.text).group(1)
        images = re.match(r"mb(\d+)", self.problem)
        self.images = images.group(1) if images else "1"
        self.shapes = [[int(size.replace("?", self.images)) for size in shape.split("x")]
                       for shape in re.findall(r"tensor<([0-9?x]+)xf32>", self.text)[:3]]
        self.window = {name: [int(each) for each in values.split(",")] for name, values in
                       re.findall(r"(strides|dilations) = dense<\[(.*?)\]>", self.text)}

    def without_config(self):
        """Returns the module as a user would write it, with a known number of images."""
        text = re.sub(r"(, )?compilation_info = #info|lowering_config = #vectors", "", self.text)
        return text.replace("?", self.images).replace("tensor.empty(%images)", "tensor.empty()")


def expected_output(candidate, left, right):
    """Returns the product or convolution of `left` and `right`, computed by NumPy."""
    if not candidate.window:
        return left @ right
    out = np.zeros([left.shape[0], *candidate.shapes[2][1:]], "float32")
    _, height, width, _ = out.shape
    for r, s in np.ndindex(*right.shape[:2]):
        first = [tap * step for tap, step in zip((r, s), candidate.window["dilations"])]
        rows, columns = [slice(start, start + (count - 1) * step + 1, step) for start, count, step
                         in zip(first, (height, width), candidate.window["strides"])]
        out += left[:, rows, columns] @ right[r, s]
    return out


def uses_config(candidate):
    """Returns true if IREE's configured executable has the tile sizes of the candidate."""
    text = compiler.compile_str(candidate.text, extra_args=[
        *FLAGS, "--compile-to=executable-configurations"]).decode()
    used = re.findall(r"#iree_cpu\.lowering_config<(.*?\])>", text)
    return any(levels_of(each) == levels_of(candidate.config) for each in used)


def levels_of(config):
    """Returns the levels of a configuration, which IREE prints in alphabetical order."""
    return sorted(re.findall(r"\w+ = \[.*?\]", config))


class Compiled:
    """Holds the function `product` of a module, which runs on one core, and its arguments."""

    def __init__(self, text, arrays, flags=()):
        binary = compiler.compile_str(text, extra_args=[*FLAGS, *flags])
        config = runtime.Config("local-sync")
        module = runtime.load_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, binary),
                                        config)
        self.function = module.product
        self.arguments = [runtime.asdevicearray(config.device, each) for each in arrays]

    def __call__(self):
        return self.function(*self.arguments)

    def seconds(self):
        """Returns the mean CPU time of as many runs as fill a round. Other processes hardly change it."""
        runs, begin = 0, time.process_time()
        while runs == 0 or time.process_time() - begin < ROUND_SECONDS:
            self()
            runs += 1
        return (time.process_time() - begin) / runs


def medians(entrants, rounds):
    """Returns the median seconds of each entrant by name. Each round shuffles the order."""
    samples = {name: [] for name in entrants}
    order, shuffler = list(entrants), random.Random(1)
    for _ in range(rounds):
        shuffler.shuffle(order)
        for name in order:
            samples[name].append(entrants[name].seconds())
    return {name: statistics.median(each) for name, each in samples.items()}


def gains(candidates, arrays, rounds):
    """Returns the object that --gains prints for the problem that all `candidates` solve."""
    entrants = {"default": Compiled(candidates[0].without_config(), arrays),
                "data_tiling": Compiled(candidates[0].without_config(), arrays,
                                        ["--iree-opt-data-tiling"])}
    for i, each in enumerate(candidates):
        entrants[i] = Compiled(each.text, arrays)
    times = medians(entrants, rounds)
    return {"client": "iree", "problem": candidates[0].problem, "candidates": len(candidates),
            "default_s": times["default"], "tuner_s": times["data_tiling"], "first_s": times[0],
            "best_s": min(times[i] for i in range(len(candidates)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=10, help="candidates to read")
    parser.add_argument("--gains", action="store_true", help="compare times instead")
    parser.add_argument("--rounds", type=int, default=9, help="of the comparison")
    flags = parser.parse_args()
    with open(flags.candidates, encoding="utf-8") as file:
        candidates = [Candidate(each) for each in file.read().split("// -----\n")][:flags.top]
    generator = np.random.default_rng(1)
    # The inputs are small whole numbers, so that sums of products are exact in any order.
    arrays = [generator.integers(-4, 5, shape).astype("float32")
              for shape in candidates[0].shapes[:2]]
    if flags.gains:
        print(json.dumps(gains(candidates, arrays, flags.rounds)))
        return 0
    expected, wrong = expected_output(candidates[0], *arrays), 0
    for each in candidates:
        is_right = np.array_equal(Compiled(each.text, arrays)().to_host(), expected)
        is_used = uses_config(each)
        wrong += not (is_right and is_used)
        print(json.dumps({"schedule": each.schedule, "used": is_used, "right": is_right}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
