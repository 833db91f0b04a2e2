#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each relative link of the installed pages leads to a file or folder.

    links_test.py PREFIX
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)")  # Addresses of the web have a colon.


def broken_links(page):
    return [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]


def main():
    documents = pathlib.Path(sys.argv[1], "share", "doc", "tileplan")
    pages = [page for kind in ("*.md", "*.ipynb") for page in sorted(documents.rglob(kind))]
    broken = [f"{page.relative_to(documents)}: {link}" for page in pages for link in broken_links(page)]
    print("\n".join(broken + [f"{len(pages)} pages, {len(broken)} broken links"]))
    return 1 if broken or len(pages) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
