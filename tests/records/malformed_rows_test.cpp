// SPDX-License-Identifier: Apache-2.0
// This test checks that a row of a database or a line of JSON which cannot be read is named, and
// that the other rows of the database are read.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include "error_of.h"
#include "record_lines.h"
#include "temporary_folder.h"
#include "tileplan/records.h"

using namespace tileplan;

namespace {

/// Makes a database of three rows, and changes the second row with the SQL statement `statement`.
void make_records(const std::string& path, const char* statement) {
  std::vector<Record> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {.problem = "m64n64k64",
               .schedule = "s" + std::to_string(i),
               .machine = "toy",
               .regime = "hot",
               .version = "0",
               .taken = "2026-11-21T00:00:0" + std::to_string(i),
               .samples = {0.5}};
  Records(path).add(rows);
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, statement, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

/// Reads the records in `path`, and returns the warnings. Checks that the first and the third row
/// are read, and that reading without a function for warnings throws Error with the same text.
std::string warnings(const std::string& path) {
  std::string lines;
  const auto found = Records(path).find({}, [&](const std::string& line) { lines += line; });
  REQUIRE(found.size() == 2);
  CHECK(found[0].schedule == "s0");
  CHECK(found[1].schedule == "s2");
  CHECK(error_of([&] { Records(path).find(); }) == lines);
  return lines;
}

}  // namespace

TEST_CASE("records: a row whose samples are no list of seconds is left out and named") {
  const TemporaryFolder folder;
  const std::string path = folder / "r.db";
  make_records(path, "UPDATE measurements SET samples = 'fast' WHERE schedule = 's1'");
  CHECK(warnings(path) == path + ": row 2: samples 'fast'; must be a list of seconds");
}

TEST_CASE("records: deeply nested samples are left out and named") {
  const TemporaryFolder folder;
  const std::string path = folder / "r.db";
  make_records(path,
               "UPDATE measurements SET samples = replace(hex(zeroblob(50000)), '0', '[') "
               "WHERE schedule = 's1'");
  CHECK(warnings(path) == path + ": row 2: JSON nested deeper than 64 levels; must be nested less");
}

TEST_CASE("records: a row that is no UTF-8 is left out and named") {
  const TemporaryFolder folder;
  const std::string path = folder / "r.db";
  make_records(path,
               "UPDATE measurements SET machine = CAST(x'ff1b' AS TEXT) WHERE schedule = 's1'");
  CHECK(warnings(path) ==
        path + ": row 2: machine: is no UTF-8 or has control characters; must be text");
}

TEST_CASE("records: merging takes the rows that can be read") {
  const TemporaryFolder folder;
  const std::string path = folder / "r.db";
  make_records(path, "UPDATE measurements SET samples = '' WHERE schedule = 's1'");
  Records here(folder / "here.db");
  int warned = 0;
  CHECK(here.merge(path, [&](const std::string&) { ++warned; }) == 2);
  CHECK(warned == 1);
}

TEST_CASE("record lines: a line that is no UTF-8, or nests too deep, is named") {
  const auto error = [](const std::string& text) {
    return error_of([&] { parse_json_lines(text, "f"); });
  };
  CHECK(error("\n{\"problem\": \"\xff\"}") ==
        "f: line 2: is no UTF-8; must be a line of records export");
  CHECK(error(std::string(100'000, '[')) ==
        "f: line 1: JSON nested deeper than 64 levels; must be nested less");
}
