# SPDX-License-Identifier: Apache-2.0
"""Runs the command line that is installed with the package."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "tileplan"
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tileplan: {program}: {error.strerror}; the package must contain the program")


if __name__ == "__main__":
    main()
