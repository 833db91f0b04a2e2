# SPDX-License-Identifier: Apache-2.0
"""Writes the comments of the fields in the headers of a folder as C++: field_comments.py FOLDER OUTPUT

Python shows them as the documentation of properties. A comment stands before a field or behind it. OUTPUT.d lists the headers,
so that the build writes OUTPUT again when one changes."""
import json
import pathlib
import re
import sys

STRUCT = re.compile(r"^struct (\w+) \{$")
FIELD = re.compile(r"^  [\w:<>, ]+ (\w+(?: = [^,;]+)?(?:, \w+(?: = [^,;]+)?)*);\s*(?:///< (.*))?$")
BEFORE = re.compile(r"^  /// (.*)$")

SOURCE = """// This file was made by python/field_comments.py of the public headers.
#include <map>
#include <string>

namespace tileplan::python {

const char* comment_of(const std::string& field) {
  static const std::map<std::string, const char*> kComments = {
%s
  };
  const auto found = kComments.find(field);
  return found == kComments.end() ? "" : found->second;
}

}  // namespace tileplan::python
"""


def comments_of(header):
    """Yields the name of each field that has a comment, such as Machine::caches, and the comment."""
    struct, words = None, []
    for line in header.splitlines():
        if found := STRUCT.match(line):
            struct, words = found.group(1), []
        elif line == "};":
            struct = None
        elif struct is None:
            continue
        elif found := BEFORE.match(line):
            words.append(found.group(1))
        elif found := FIELD.match(line):
            words += [found.group(2)] if found.group(2) else []
            for each in found.group(1).split(", ") if words else []:
                yield f"{struct}::{each.split()[0]}", " ".join(words)
            words = []
        else:
            words = []


def main(folder, output):
    headers = sorted(pathlib.Path(folder).glob("*.h"))
    found = dict(each for path in headers for each in comments_of(path.read_text(encoding="utf-8")))
    rows = [f"      {{{json.dumps(field)}, {json.dumps(text)}}}," for field, text in sorted(found.items())]
    pathlib.Path(output).write_text(SOURCE % "\n".join(rows), encoding="utf-8")
    pathlib.Path(output + ".d").write_text(f"{output}: {' '.join(map(str, headers))}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
