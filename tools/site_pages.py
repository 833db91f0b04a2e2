#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the pages of the documentation site, so that MkDocs finds everything that they link to.

    site_pages.py ROOT PACKAGE CPP FOLDER

FOLDER gets the Markdown files and notebooks of the repository at ROOT in its folders, the files that they link to, the C++
reference in CPP (HTML of Doxygen), and a page of the Python interface, whose stubs are in the folder PACKAGE."""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")


def tracked(root, *patterns):
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", *patterns], text=True, check=True,
                           stdout=subprocess.PIPE).stdout
    return [pathlib.PurePosixPath(name) for name in names.splitlines()]


def header_page(path):
    """Returns the name that Doxygen gives to the page of a header."""
    return path.name.replace("_", "__").replace(".", "_8") + ".html"


def listing(root, folder):
    """Returns a page with the text of each source file of a folder."""
    lines = [f"# {folder}", ""]
    for path in sorted((root / folder).iterdir()):
        if path.suffix in (".cpp", ".h", ".txt"):
            language = {".txt": "cmake"}.get(path.suffix, "cpp")
            lines += [f"## {path.name}", "", f"```{language}", path.read_text(encoding="utf-8").rstrip(), "```", ""]
    return "\n".join(lines)


def wider_lists(text):
    """Returns a page whose numbered items go on after four spaces, as MkDocs needs it. Elsewhere three are enough."""
    lines, in_list = [], False
    for line in text.splitlines():
        if line.strip() and not line.startswith("   "):
            in_list = re.match(r"[0-9]+[.] ", line) is not None
        lines.append(" " + line if in_list and line.startswith("   ") else line)
    return "".join(line + "\n" for line in lines)


class Site:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def target_of(self, page, link):
        """Returns the place in the site that a link of a page leads to, and adds it if it is no page."""
        wanted = pathlib.PurePosixPath(os.path.normpath(page.parent / link))
        source = self.root / wanted
        if wanted.parts[:2] == ("include", "tileplan"):
            return pathlib.PurePosixPath("cpp") / (header_page(wanted) if wanted.suffix else "index.html")
        if source.is_dir():
            self.write(wanted / "index.md", listing(self.root, wanted))
            return wanted / "index.md"
        if source.is_file() and source.suffix not in (".md", ".ipynb"):
            (self.folder / wanted).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.folder / wanted)
        return wanted

    def add_page(self, page):
        def moved(match):
            before, link, anchor, after = match.groups()
            if "://" in link:
                return match.group()
            target = os.path.relpath(self.target_of(page, link), page.parent)
            return before + target + (anchor or "") + after

        text = LINK.sub(moved, (self.root / page).read_text(encoding="utf-8"))
        self.write(page, wider_lists(text) if page.suffix == ".md" else text)


def public_names(package):
    """Returns the names that __init__.py imports, in its order."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return [(node.module, name.name) for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names]


def python_page(package):
    """Returns a page for mkdocstrings: functions first, then classes."""
    names = public_names(package)
    functions = sorted(each for each in names if each[1][0].islower())
    classes = sorted(each for each in names if each[1][0].isupper())
    lines = ["# Python interface", "", "The package has the names and the defaults of the C++ interface, whose",
             "[headers](cpp/index.html) document each field. [From Python](docs/tutorials/python.md) is the tutorial.", ""]
    for title, part in (("Functions", functions), ("Classes", classes)):
        lines += [f"## {title}", ""]
        for module, name in sorted(part, key=lambda each: each[1].lower()):
            lines += [f"::: tileplan.{module}.{name}", ""]
    return "\n".join(lines)


def main():
    root, package, cpp, folder = map(pathlib.Path, sys.argv[1:5])
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(root, folder)
    for page in tracked(root, "*.md", "*.ipynb"):
        site.add_page(page)
    site.write("python.md", python_page(package))
    shutil.copytree(cpp, folder / "cpp")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main()
