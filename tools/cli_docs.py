#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the command line's reference from the help texts of the program: docs/cli.md, or a man page.

    cli_docs.py PROGRAM markdown|man        prints to stdout"""
import os
import re
import subprocess
import sys


def help_of(program, *words):
    """Returns the help text in lines of at most 100 columns."""
    text = subprocess.run([program, *words, "--help"], text=True, check=True, stdout=subprocess.PIPE,
                          env=os.environ | {"COLUMNS": "100"}).stdout
    return "\n".join(line.rstrip() for line in text.splitlines())


def subcommands(text):
    """Returns (name, description) of each subcommand that a help text lists."""
    listed = text.partition("Subcommands:\n")[2]
    return re.findall(r"^  ([a-z]+) +(\S.*)$", listed, re.M)


def verbs(program):
    """Returns (words, help text) of every verb and of the verbs below it."""
    found = []
    for name, _ in subcommands(help_of(program)):
        text = help_of(program, name)
        found.append(((name,), text))
        found += [((name, below), help_of(program, name, below)) for below, _ in subcommands(text)]
    return found


def markdown(program):
    lines = ["# Command line", "", "This page is made from the help texts (`tools/cli_docs.py PROGRAM markdown`); `tileplan VERB --help`",
             "prints the same. Verbs that print results take `--json`. The exit status is 0, 1 when the answer",
             "is \"no\", and 2 for wrong usage or input.", ""]
    for words, text in [((), help_of(program))] + verbs(program):
        lines += ["## " + " ".join(("tileplan",) + words), "", "```", text.strip(), "```", ""]
    return "\n".join(lines)


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\n.", "\n\\&.").replace("\n'", "\n\\&'")


def man(program):
    version = subprocess.run([program, "--version"], text=True, check=True, stdout=subprocess.PIPE).stdout.split()[1]
    parts = [f'.TH TILEPLAN 1 "" "tileplan {version}" "User Commands"', ".SH NAME",
             roff("tileplan - loop orders, tile sizes and microkernels for convolutions and matrix products on CPUs"),
             ".SH SYNOPSIS", ".B tileplan\n.I VERB\n[\\fIOPTIONS\\fR]"]
    for words, text in verbs(program):
        parts += [f".SH {' '.join(words).upper()}", ".nf", roff(text.strip()), ".fi"]
    parts += [".SH EXIT STATUS", roff('0, 1 when the answer is "no", 2 for wrong usage or input.')]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("markdown", "man"):
        sys.exit(__doc__)
    sys.stdout.write(markdown(sys.argv[1]) if sys.argv[2] == "markdown" else man(sys.argv[1]))
