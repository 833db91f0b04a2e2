#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles what `tileplan candidates PROBLEM --format xtc` wrote with XTC (0.3.2, its MLIR backend),
which compares each output with its own reference.

Prints one JSON object per candidate: its scheme and the seconds that XTC measured, or null and the
error. Exit status 1 when XTC refuses a scheme or finds its output wrong."""

import argparse
import json
import sys

from xtc.schedules.ttile.archi import Archi, Architype_enum
from xtc.schedules.ttile.computation import Computation, Computation_spec
from xtc.schedules.ttile.scheme import (AtomType, build_scheme_from_str, get_sizes_scheme)
from xtc.schedules.ttile.scheme_to_xtc import launch_and_measure_scheme_graph_interf

FLOAT_BYTES = 4


def machine_of(scheme):
    """Returns a machine for XTC, which reads nothing but the size of a vector from it."""
    lanes = next(atom.ratio for atom in scheme if atom.type == AtomType.VECT)
    return Archi("machine", Architype_enum.INTEL, lanes * FLOAT_BYTES, 32, 0, 0, 0, 0, 0, 0, 1)


def seconds(text):
    """Returns the time of one scheme. Raises what XTC raises."""
    scheme = build_scheme_from_str(text)
    sizes = {dim: sum(each) for dim, each in get_sizes_scheme(scheme).items()}
    spec = Computation_spec.MATMULT if "j" in sizes else Computation_spec.CONV
    result = launch_and_measure_scheme_graph_interf(
        Computation(spec, FLOAT_BYTES), machine_of(scheme), scheme, sizes, "mlir")
    return result["time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=10, help="candidates to compile")
    flags = parser.parse_args()
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [each.strip() for each in file if each.strip()][:flags.top]
    wrong = 0
    for line in lines:
        result = {"scheme": line, "measured_s": None}
        try:
            result["measured_s"] = seconds(line)
        # All exceptions are caught, because their type depends on the part of XTC that fails.
        except Exception as error:
            result["error"] = str(error).splitlines()[-1] if str(error) else repr(error)
            wrong += 1
        print(json.dumps(result), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
