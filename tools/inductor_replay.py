#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a linear layer by PyTorch's Inductor (2.15) with the settings that `tileplan candidates
PROBLEM --format inductor` wrote, and compares each output with NumPy's.

Prints one JSON object per candidate: its schedule, whether Inductor chose its register tile and, if
so, whether it used its blocks, and whether the output is right. Inductor chooses the register tile
itself; a candidate with another register tile is not compiled. With --gains, prints instead one JSON
object with the median seconds of Inductor's own blocks, of its autotuning, of the first candidate
with Inductor's tile and the threads of the first line, and of the fastest such candidate; outputs and
blocks are not checked. Exit status 1 when an output is wrong, blocks were not used, or no candidate
has Inductor's tile."""

import argparse
import json
import math
import os
import random
import re
import statistics
import sys
import tempfile
import time

import numpy as np
import torch
from torch._inductor import config
from torch._inductor.utils import run_and_get_code

ROUND_SECONDS = 0.02  # A candidate runs repeatedly for at least this time in each round.


class Compiled:
    """Compiles a linear layer with `settings`, and holds the blocks of the generated code."""

    def __init__(self, arrays, threads, settings=None, backends="CPP"):
        torch.set_num_threads(threads)
        left, right = arrays
        layer = torch.nn.Linear(right.shape[0], right.shape[1], bias=False).eval()
        layer.weight.data = torch.from_numpy(np.ascontiguousarray(right.T))
        self.input = torch.from_numpy(left)
        torch.compiler.reset()
        with config.patch({"freezing": True, "max_autotune": True, "force_disable_caches": True,
                           "max_autotune_gemm_backends": backends, **(settings or {})}):
            self.layer = torch.compile(layer)
            with torch.no_grad():
                self.output, code = run_and_get_code(self.layer, self.input)
        self.blocks = {name: int(value) for name, value in
                       re.findall(r"int64_t (\w+) = (\d+);", "\n".join(code))}

    def seconds(self):
        """Returns the mean of as many runs as fill a round, in CPU time if there is one thread."""
        clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
        runs, begin = 0, clock()
        while runs == 0 or clock() - begin < ROUND_SECONDS:
            with torch.no_grad():
                self.layer(self.input)
            runs += 1
        return (clock() - begin) / runs


def threads_of(line):
    return math.prod(int(each) for each in line["settings"]["cpp.gemm_thread_factors"].split(","))


def has_tile(line, blocks):
    return line["register_tile"] == [blocks.get("Mr"), blocks.get("Nr")]


def uses_blocks(line, blocks):
    wanted = [int(each) for each in line["settings"]["cpp.gemm_cache_blocking"].split(",")]
    return [blocks.get(name + "_blocks") for name in ("Mc", "Nc", "Kc")] == wanted


def gains(lines, arrays, rounds):
    """Returns the object that --gains prints for the problem that all `lines` solve."""
    threads = threads_of(lines[0])
    entrants = {"default": Compiled(arrays, threads),
                "tuner": Compiled(arrays, threads, backends="ATEN,CPP")}
    lines = [each for each in lines
             if has_tile(each, entrants["default"].blocks) and threads_of(each) == threads]
    if not lines:
        raise SystemExit("no candidate has the register tile that Inductor chooses")
    for i, line in enumerate(lines):
        entrants[i] = Compiled(arrays, threads_of(line), line["settings"])
    samples = {name: [] for name in entrants}
    order, shuffler = list(entrants), random.Random(1)
    for _ in range(rounds):
        shuffler.shuffle(order)
        for name in order:
            samples[name].append(entrants[name].seconds())
    times = {name: statistics.median(each) for name, each in samples.items()}
    own = [times[i] for i in range(len(lines))]
    return {"client": "inductor", "problem": lines[0]["problem"], "candidates": len(lines),
            "default_s": times["default"], "tuner_s": times["tuner"], "first_s": own[0],
            "best_s": min(own)}


def checked(line, arrays, blocks):
    """Returns the result of one candidate. `blocks` are those of Inductor's own choice."""
    result = {"schedule": line["schedule"], "tile": has_tile(line, blocks)}
    if not result["tile"]:
        return result
    compiled = Compiled(arrays, threads_of(line), line["settings"])
    return result | {"used": uses_blocks(line, compiled.blocks),
                     "right": np.array_equal(compiled.output.numpy(), arrays[0] @ arrays[1])}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=10, help="candidates to compile")
    parser.add_argument("--gains", action="store_true", help="compare times instead")
    parser.add_argument("--rounds", type=int, default=9, help="of the comparison")
    flags = parser.parse_args()
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [json.loads(each) for each in file if each.strip()]
    m, n, k = [int(each) for each in
               re.search(r"m(\d+)n(\d+)k(\d+)", lines[0]["problem"]).groups()]
    generator = np.random.default_rng(1)
    # The inputs are small whole numbers, so that sums of products are exact in any order.
    arrays = [generator.integers(-4, 5, shape).astype("float32") for shape in ((m, k), (k, n))]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        if flags.gains:
            print(json.dumps(gains(lines[:flags.top], arrays, flags.rounds)))
            return 0
        own = Compiled(arrays, threads_of(lines[0])).blocks
        # Candidates with Inductor's register tile come first.
        lines.sort(key=lambda line: not has_tile(line, own))
        results = [checked(line, arrays, own) for line in lines[:flags.top]]
    for each in results:
        print(json.dumps(each))
    compiled = [each for each in results if each["tile"]]
    return 0 if compiled and all(each["used"] and each["right"] for each in compiled) else 1


if __name__ == "__main__":
    sys.exit(main())
