#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times networks in pairs with OpenVINO and onnxruntime, on one thread and in f32:

    PYTHONPATH=build/python network_times.py FOLDER [--rounds N] [--machine FILE] [MODEL ...]

Needs numpy, onnx, onnxruntime and openvino. Without models, the light models of the package onnx get
random weights and are stored in FOLDER. All sides run on one core in turn, in one process. Each ratio is
that of two runs of one round; the table has its median and the 95 % interval of the median."""

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


def tileplan_side(path, machine, algorithm):
    network = tileplan.compile(tileplan.plan_network(path, machine, algorithm=algorithm))
    return network, lambda image: np.asarray(network(image))


def onnxruntime_side(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda image: session.run(None, {name: image})[0]


def openvino_side(path):
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1,
                                                "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    return lambda image: request.infer([image], share_inputs=True, share_outputs=True)[0]


def seconds_of(side, image):
    start = time.perf_counter()
    side(image)
    return time.perf_counter() - start


def measured(path, machine, rounds):
    """Returns the times of each side, one per round. Throws AssertionError when outputs differ."""
    network, direct = tileplan_side(path, machine, "direct")
    sides = {"direct": direct, "any": tileplan_side(path, machine, "any")[1],
             "onnxruntime": onnxruntime_side(path), "openvino": openvino_side(path)}
    image = np.random.default_rng(2).normal(0, 1, network.input_shapes[0]).astype("f4")
    expected = sides["onnxruntime"](image)
    for name, side in sides.items():
        error = np.abs(side(image) - expected).max() / np.abs(expected).max()
        assert error <= TOLERANCE, f"{path}: outputs of {name} differ by {error:.1g} of the largest"
    times = {name: [] for name in sides}
    names = list(sides)
    for each in range(rounds):
        for name in names[each % len(names):] + names[:each % len(names)]:
            # This run fills the caches with the data of the same side.
            seconds_of(sides[name], image)
            times[name].append(seconds_of(sides[name], image))
    return times


def row(name, times):
    cells = [name] + [f"{1e3 * np.median(times[side]):.2f}" for side in ("direct", "any", "onnxruntime", "openvino")]
    for side in ("direct", "onnxruntime", "openvino"):
        ratio = [other / ours for other, ours in zip(times[side], times["any"])]
        cells.append("{:.2f} ({:.2f} to {:.2f})".format(*median_interval(ratio)))
    return "| " + " | ".join(cells) + " |"


def models_in(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for light in sorted(networks.LIGHT.glob("light_*.onnx")):
        path = folder / light.name.replace("light_", "")
        if not path.exists():
            onnx.save(networks.randomized(onnx.load(light)), path)
        yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--machine", help="plan for this machine file, which a calibration wrote")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    machine = tileplan.load_machine(given.machine) if given.machine else tileplan.detect_machine()
    print(f"{machine.name}, onnxruntime {onnxruntime.__version__}, openvino {openvino.__version__}, milliseconds\n")
    print("| network | direct | any | onnxruntime | openvino | direct / any | onnxruntime / any | openvino / any |")
    print("| --- " * 8 + "|")
    for path in given.models or models_in(given.folder):
        print(row(path.stem, measured(str(path), machine, given.rounds)), flush=True)


if __name__ == "__main__":
    main()
