#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands and programs of README.md and docs/ as a reader would type them, and checks that docs/cli.md is new.

    docs_test.py PROGRAM ROOT PREFIX

Blocks marked `sh` run in one empty folder per document, with an empty HOME and PROGRAM on the PATH as
`tileplan`. A block marked `text` that follows shows its whole output. Blocks marked `cpp` are compiled against
the library that is installed below PREFIX, and run. tests/python/test_docs.py runs blocks marked `python`.
A block without a mark is not run: it changes the machine, or another test runs it. $HOME/tileplan, where
the pages install the library, is a link to PREFIX."""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.M | re.S)
SECONDS = 120


def blocks(path):
    """Yields the mark and the text of each block. Cells with code are the blocks of a notebook."""
    with open(path, encoding="utf-8") as file:
        if str(path).endswith(".ipynb"):
            for cell in json.load(file)["cells"]:
                if cell["cell_type"] == "code":
                    yield "python", "".join(cell["source"])
            return
        for match in BLOCK.finditer(file.read()):
            yield match.group(2), textwrap.dedent(match.group(3))


def run_shell(text, folder, environment):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, check=False)


def run_program(text, folder, environment, prefix):
    with open(os.path.join(folder, "program.cpp"), "w", encoding="utf-8") as file:
        file.write(text)
    libraries = next(os.path.join(prefix, name) for name in ("lib", "lib64", "lib/x86_64-linux-gnu")
                     if os.path.isdir(os.path.join(prefix, name, "pkgconfig")))
    environment = dict(environment, PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"), LD_LIBRARY_PATH=libraries)
    return run_shell("g++ -std=c++20 -O1 program.cpp -o program $(pkg-config --cflags --libs tileplan) && ./program",
                     folder, environment)


def check(path, program, root, prefix):
    """Returns the failures of one document, and how many blocks ran."""
    failures, ran, output = [], 0, None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home, \
            tempfile.TemporaryDirectory() as tools:
        os.symlink(program, os.path.join(tools, "tileplan"))
        os.symlink(prefix, os.path.join(home, "tileplan"))
        environment = {"HOME": home, "PATH": tools + ":" + os.environ["PATH"], "LANG": "C.UTF-8"}
        for kind, text in blocks(path):
            if kind == "text" and output is not None and output.strip() != text.strip():
                failures.append(f"the output shown is not what was printed:\n{output}")
            if kind not in ("sh", "cpp"):
                output = output if kind == "text" else None
                continue
            ran += 1
            result = run_shell(text, folder, environment) if kind == "sh" else \
                run_program(text, folder, environment, prefix)
            output = result.stdout
            if result.returncode != 0:
                failures.append(f"ended with {result.returncode}:\n{text}{result.stderr[-2000:]}")
    return failures, ran


def reference_is_new(program, root):
    """Returns true when docs/cli.md is what tools/cli_docs.py writes for this program."""
    written = subprocess.run([sys.executable, os.path.join(root, "tools", "cli_docs.py"), program, "markdown"], text=True,
                             stdout=subprocess.PIPE, check=True).stdout
    with open(os.path.join(root, "docs", "cli.md"), encoding="utf-8") as file:
        return file.read() == written


def main():
    program, root, prefix = sys.argv[1:4]
    if not reference_is_new(program, root):
        print("docs/cli.md is old: tools/cli_docs.py build/tileplan markdown >docs/cli.md")
        return 1
    documents = [os.path.join(root, "README.md")]
    for folder, _, names in os.walk(os.path.join(root, "docs")):
        documents += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
    failed = False
    for path in documents:
        failures, ran = check(path, program, root, prefix)
        print(f"{os.path.relpath(path, root)}: {ran} blocks, {len(failures)} failed")
        for failure in failures:
            print(textwrap.indent(failure, "  "))
        failed = failed or bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
