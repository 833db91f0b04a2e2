# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of README.md and docs/ run in order, and so do the cells of notebooks."""
import contextlib
import io
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from docs_test import blocks  # noqa: E402

DOCUMENTS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.ipynb"))]
             if any(kind == "python" for kind, _ in blocks(path))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_blocks_print_what_is_shown(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, output = {"__name__": "__main__"}, None
    for kind, text in blocks(path):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(path), "exec"), names)  # pylint: disable=exec-used
            output = printed.getvalue()
        elif kind == "text" and output is not None:
            assert output.strip() == text.strip()
        else:
            output = None


def test_the_convolution_of_the_readme_is_right():
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for kind, text in blocks(ROOT / "README.md"):
            if kind == "python":
                exec(text, names)  # pylint: disable=exec-used
    assert printed.getvalue() == "512.0\n"
    assert float(names["output"].max()) == 9 * 256 * 0.5
