# SPDX-License-Identifier: Apache-2.0
"""A program that ends has destroyed all its values, and prints nothing about values that threads still hold."""
import subprocess
import sys

import pytest

VALUES = """
import functools
import tileplan
from tileplan import _tileplan

_tileplan.set_leak_warnings(True)
plan = tileplan.plan("m16n16k16", top=2)
kernel = tileplan.compile(plan)
graph = tileplan.Graph("graph")
list_of_itself = [plan]
list_of_itself.append(list_of_itself)
remembered = functools.lru_cache(tileplan.plan)
remembered("m8n8k8")
def with_default(argument=plan): return argument
class WithAttribute: kernel = kernel
"""
ENDS = {
    "the end": "",
    "an exception": "tileplan.compile(plan, 99)",
    "sys.exit": "import sys; sys.exit(3)",
    "a kept exception": "try: tileplan.compile(plan, 99)\nexcept tileplan.Error as error: kept = error",
    "a thread that waited": "import threading; thread = threading.Thread(target=tileplan.explain, args=(plan,)); thread.start()",
}
DAEMON = """
import threading, time
import tileplan

plan = tileplan.plan("m16n16k16", top=2)
threading.Thread(target=lambda held: time.sleep(60), args=(plan,), daemon=True).start()
"""


def errors_of(program):
    return subprocess.run([sys.executable, "-c", program], text=True, stderr=subprocess.PIPE, check=False, timeout=60).stderr


@pytest.mark.parametrize("end", list(ENDS))
def test_values_at_module_level_are_freed(end):
    assert "nanobind" not in errors_of(VALUES + ENDS[end])


def test_values_that_a_daemon_thread_holds_are_no_news():
    assert errors_of(DAEMON) == ""


def test_a_value_that_is_held_would_be_seen():
    assert "leaked 1 instances" in errors_of(DAEMON + "tileplan._tileplan.set_leak_warnings(True)\n")
