#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times networks in pairs with OpenVINO, onnxruntime and ncnn, on one thread or more and in f32:

    PYTHONPATH=build/python network_times.py FOLDER [--rounds N] [--threads N] [--machine FILE] [MODEL ...]

Needs numpy, onnx, onnxruntime and openvino. ncnn runs beside them when the packages ncnn and pnnx are there. Without
models, the models of networks.py are stored in FOLDER. A side is one way to run a network. All sides run in turn, in one
process on as many cores as threads. A ratio divides two times of one round: that of OpenVINO or onnxruntime, whichever has
the smaller median, by that of tileplan. The table has the median of these ratios with its 95 % interval, and the median
alone for ncnn. Where both packages are there but ncnn has no time, a note says why."""

import argparse
import math
import os
import pathlib
import time

import ncnn_side
import networks
import numpy as np
import onnxruntime
import openvino
import tileplan

TOLERANCE = 1e-3
# The threads of a runtime may spin for up to 20 ms after a run, on the cores of the next side.
PAUSE_SECONDS = 0.03
SIDES = ("direct", "any", "onnxruntime", "openvino", "ncnn")
RATIOS = ("faster / direct", "faster / any", "ncnn / any")


def median_interval(values):
    """Returns the median of the values and two of them between which the true median lies with a
    probability of at least 95 %. With fewer than six values, these are the smallest and the
    largest, and the probability is lower."""
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


def difference(side, image, expected):
    return np.abs(side(image).ravel() - expected.ravel()).max() / np.abs(expected).max()


def checked_ncnn(path, threads, image, expected):
    """Returns the side and no reason, or no side and the reason, which is empty if ncnn or pnnx is missing."""
    if not ncnn_side.installed():
        return {}, ""
    try:
        side = ncnn_side.ncnn_side(path, threads)
        error = difference(side, image, expected)
    except (RuntimeError, ValueError) as failure:
        return {}, str(failure)
    return ({"ncnn": side}, "") if error <= TOLERANCE else ({}, f"outputs differ by {error:.1g} of the largest")


def checked_sides(path, machine, threads):
    """Returns the sides, an image for them and the reason why ncnn is missing. Raises
    AssertionError when outputs of tileplan or OpenVINO differ from those of onnxruntime by more
    than TOLERANCE, relative to the largest output."""
    network, direct = tileplan_side(path, machine, "direct", threads)
    sides = {"direct": direct, "any": tileplan_side(path, machine, "any", threads)[1],
             "onnxruntime": onnxruntime_side(path, threads), "openvino": openvino_side(path, threads)}
    image = np.random.default_rng(2).normal(0, 1, network.input_shapes[0]).astype("f4")
    expected = sides["onnxruntime"](image)
    for name, side in sides.items():
        error = difference(side, image, expected)
        assert error <= TOLERANCE, f"{path}: outputs of {name} differ by {error:.1g} of the largest"
    ncnn, reason = checked_ncnn(path, threads, image, expected)
    return sides | ncnn, image, reason


def measured(path, machine, rounds, threads):
    """Returns the times of each side in seconds, one per round, and the reason why there are none of ncnn. The reason is
    empty if ncnn ran, and if ncnn or pnnx is not installed."""
    sides, image, reason = checked_sides(path, machine, threads)
    times = {name: [] for name in sides}
    names = list(sides)
    for each in range(rounds):
        for name in names[each % len(names):] + names[:each % len(names)]:
            if threads > 1:
                time.sleep(PAUSE_SECONDS)
            # This untimed run fills the caches with the data of the network that is timed next.
            seconds_of(sides[name], image)
            times[name].append(seconds_of(sides[name], image))
    return times, reason


def ratios(times):
    """Returns the ratios of other times to ours, for each column that has some."""
    faster = min((times["onnxruntime"], times["openvino"]), key=np.median)
    pairs = {"faster / direct": (faster, times["direct"]), "faster / any": (faster, times["any"]),
             "ncnn / any": (times.get("ncnn", []), times["any"])}
    return {name: [other / our for other, our in zip(others, ours)] for name, (others, ours) in pairs.items() if others}


def row(name, times, against):
    cells = [name] + [f"{1e3 * np.median(times[side]):.2f}" if side in times else "-" for side in SIDES]
    cells += ["{:.2f} ({:.2f} to {:.2f})".format(*median_interval(against[each])) for each in RATIOS[:2]]
    cells += [f"{np.median(against[each]):.2f}" if each in against else "-" for each in RATIOS[2:]]
    return "| " + " | ".join(cells) + " |"


def geometric_mean(values):
    return f"{np.exp(np.log(values).mean()):.3f}" if values else "-"


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
    print("| " + " | ".join(("network", *SIDES, *RATIOS)) + " |")
    print("| --- " * (1 + len(SIDES) + len(RATIOS)) + "|")
    medians, notes = {name: [] for name in RATIOS}, []
    for path in given.models or networks.models_in(given.folder):
        times, reason = measured(str(path), machine, given.rounds, given.threads)
        against = ratios(times)
        print(row(path.stem, times, against), flush=True)
        notes += [f"- {path.stem} without ncnn: {reason}"] if reason else []
        for name, each in against.items():
            medians[name].append(np.median(each))
    print("", *notes, *([""] if notes else []), sep="\n")
    print("geometric means: " + ", ".join(f"{name} {geometric_mean(each)}" for name, each in medians.items()))


if __name__ == "__main__":
    main()
