# SPDX-License-Identifier: Apache-2.0
"""Measures how much memory repeated calls keep."""
import gc


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def kept_bytes(calls, count):
    """Returns how many bytes the process gained by calls(count), which it runs after calls(count // 20)."""
    calls(count // 20)
    gc.collect()
    before = resident_bytes()
    calls(count)
    gc.collect()
    return resident_bytes() - before
