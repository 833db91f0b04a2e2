#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times networks in pairs with OpenVINO and onnxruntime, on one thread or more and in f32:

    PYTHONPATH=build/python network_times.py FOLDER [--rounds N] [--threads N] [--machine FILE] [MODEL ...]

Needs numpy, onnx, onnxruntime and openvino. Without models, the models of networks.py are stored in FOLDER.
All sides run in turn, in one process on as many cores as threads. Each ratio is that of two runs of one
round: the time of the faster runtime, by its median, over ours. The table has the median of the ratios and
the 95 % interval of the median."""

import argparse
import math
import os
import pathlib
import time

import numpy as np
import onnx
import onnxruntime
import openvino
import tileplan

import networks

TOLERANCE = 1e-3


def median_interval(values):
    """Returns the median and two order statistics around it that hold it with 95 % probability."""
    values, count = sorted(values), len(values)
    tail, low = 0.0, 0
    while low < count // 2 and tail + math.comb(count, low) / 2**count <= 0.025:
        tail += math.comb(count, low) / 2**count
        low += 1
    low = max(0, low - 1)
    return float(np.median(values)), values[low], values[count - 1 - low]


def tileplan_side(path, machine, algorithm, threads):
    network = tileplan.compile(tileplan.plan_network(path, machine, algorithm=algorithm, threads=threads))
    return network, lambda image: np.asarray(network(image))


def onnxruntime_side(path, threads):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda image: session.run(None, {name: image})[0]


def openvino_side(path, threads):
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                                                "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    return lambda image: request.infer([image], share_inputs=True, share_outputs=True)[0]


def seconds_of(side, image):
    start = time.perf_counter()
    side(image)
    return time.perf_counter() - start


def measured(path, machine, rounds, threads):
    """Returns the times of each side, one per round. Throws AssertionError when outputs differ."""
    network, direct = tileplan_side(path, machine, "direct", threads)
    sides = {"direct": direct, "any": tileplan_side(path, machine, "any", threads)[1],
             "onnxruntime": onnxruntime_side(path, threads), "openvino": openvino_side(path, threads)}
    image = np.random.default_rng(2).normal(0, 1, network.input_shapes[0]).astype("f4")
    expected = sides["onnxruntime"](image)
    for name, side in sides.items():
        error = np.abs(side(image) - expected).max() / np.abs(expected).max()
        assert error <= TOLERANCE, f"{path}: outputs of {name} differ by {error:.1g} of the largest"
    times = {name: [] for name in sides}
    names = list(sides)
    for each in range(rounds):
        for name in names[each % len(names):] + names[:each % len(names)]:
            # This untimed run fills the caches with the data of the network that is timed next.
            seconds_of(sides[name], image)
            times[name].append(seconds_of(sides[name], image))
    return times


def ratios(times):
    """Returns the ratios of the faster runtime's time to ours, for each of our sides."""
    faster = min((times["onnxruntime"], times["openvino"]), key=np.median)
    return {side: [other / ours for other, ours in zip(faster, times[side])] for side in ("direct", "any")}


def row(name, times):
    cells = [name] + [f"{1e3 * np.median(times[side]):.2f}" for side in ("direct", "any", "onnxruntime", "openvino")]
    cells += ["{:.2f} ({:.2f} to {:.2f})".format(*median_interval(each)) for each in ratios(times).values()]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--machine", help="plan for this machine file, which a calibration wrote")
    given = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-given.threads:])
    machine = tileplan.load_machine(given.machine) if given.machine else tileplan.detect_machine()
    print(f"{machine.name}, onnxruntime {onnxruntime.__version__}, openvino {openvino.__version__}, milliseconds\n")
    print("| network | direct | any | onnxruntime | openvino | faster / direct | faster / any |")
    print("| --- " * 7 + "|")
    medians = []
    for path in given.models or networks.models_in(given.folder):
        times = measured(str(path), machine, given.rounds, given.threads)
        print(row(path.stem, times), flush=True)
        medians.append([np.median(each) for each in ratios(times).values()])
    print("\ngeometric means: direct {:.3f}, any {:.3f}".format(*np.exp(np.log(medians).mean(axis=0))))


if __name__ == "__main__":
    main()
