# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python package, or says which module is missing: run.py ROOT [pytest's arguments]."""
import importlib.util
import os
import sys

missing = [name for name in ("numpy", "pytest", "hypothesis") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: Python has no {', '.join(missing)}")
    sys.exit(0)
os.chdir(sys.argv[1])
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python", *sys.argv[2:]])
