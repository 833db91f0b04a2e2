#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the TVM database that metaschedule_replay.py wrote: metaschedule_records.py FOLDER

Fails when a line has not the form of TVM's own records, when TVM does not read all lines, or when
the innermost loop of a schedule that TVM read is not vectorised."""

import json
import os
import sys

from tvm.s_tir import Schedule, meta_schedule

# An instruction of a trace has these numbers of inputs, attributes and outputs. None allows any
# number.
FORMS = {"GetSBlock": (0, 2, 1), "GetLoops": (1, 0, None), "Split": (None, 2, None),
         "Reorder": (None, 0, 0), "Parallel": (1, 0, 0), "Unroll": (1, 0, 0),
         "Vectorize": (1, 0, 0), "CacheWrite": (2, 2, 1), "ReverseComputeAt": (2, 2, 0),
         "DecomposeReduction": (2, 0, 1)}


def check_record(line):
    """Checks a line, whose form is [WORKLOAD, [[INSTRUCTIONS, DECISIONS], SECONDS, TARGET, ARGUMENTS]]."""
    workload, ((instructions, decisions), seconds, target, arguments) = json.loads(line)
    assert workload == 0 and decisions == [], (workload, decisions)
    assert len(seconds) == 1 and 0 < seconds[0] < 1e10, seconds
    assert target["kind"] == "llvm", target
    assert len(arguments) == 3 and all(each[:2] == ["TENSOR", "float32"] for each in arguments)
    outputs = []
    for kind, *parts in instructions:
        for part, count in zip(parts, FORMS[kind]):
            assert count is None or len(part) == count, (kind, parts)
        outputs += parts[2]
    # A name consists of a letter and a running number.
    assert [name[0] in "blv" and int(name[1:]) for name in outputs] == list(range(len(outputs)))


def main():
    names = [os.path.join(sys.argv[1], "database_" + name + ".json")
             for name in ("workload", "tuning_record")]
    with open(names[1], encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        check_record(line)
    records = meta_schedule.database.JSONDatabase(*names).get_all_tuning_records()
    assert len(records) == len(lines) > 0, (len(records), len(lines))
    for record in records:
        schedule = Schedule(record.workload.mod)
        record.trace.apply_to_schedule(schedule, remove_postproc=False)
        block = schedule.get_sblock("product_update")
        # The value 2 means a vectorised loop.
        assert schedule.get(schedule.get_loops(block)[-1]).kind == 2, schedule.mod


if __name__ == "__main__":
    main()
