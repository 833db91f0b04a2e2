// SPDX-License-Identifier: Apache-2.0
// This test checks CSV text, and that a study continues from its earlier results.
#include <doctest/doctest.h>

#include <cmath>

#include "error_of.h"
#include "study.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

StudyHead head() { return {.facts = "# a study\n", .date = "# now\n", .columns = "size,what"}; }

}  // namespace

TEST_CASE("csv: fields keep commas and quotes between quotes") {
  CHECK(csv_fields("a,\"b \"\"c\"\", d\",,") == CsvFields{"a", "b \"c\", d", "", ""});
  const CsvFields formulas{"--dt=f64 m8n8k8", "=1+1", "-1.5", "'quoted'"};
  const std::string line = csv_line(formulas);
  CHECK(csv_fields(line.substr(0, line.size() - 1)) == formulas);
  CHECK(csv_line({"b \"c\", d", "e"}) == "\"b \"\"c\"\", d\",e\n");
}

TEST_CASE("csv: numbers come back, and a missing one is an empty field") {
  CHECK(csv_number(0.1) == "0.1");
  CHECK(csv_number(HUGE_VAL).empty());
  CHECK(csv_number(std::nullopt).empty());
  CsvRow row({"0.1", "", "-3", "", "z"});
  CHECK(row.number() == 0.1);
  CHECK(row.number() == 0);
  CHECK(row.whole() == -3);
  CHECK_FALSE(row.optional_number());
  CHECK_THROWS_WITH(row.number(), "column 5 is 'z'; must be a number");
}

TEST_CASE("csv: comment lines are passed over, and a row that is too short is named") {
  const CsvTable table = parse_csv("# head\na,b\n1,2\n# more\n3,4\n", "t.csv");
  CHECK(table.columns == CsvFields{"a", "b"});
  CHECK(table.rows == std::vector<CsvFields>{{"1", "2"}, {"3", "4"}});
  CHECK_THROWS_WITH(parse_csv("# head\na,b\n1\n", "t.csv"), "t.csv:3: 1 columns; must be 2");
}

TEST_CASE("study table: what was added is there when the study goes on, byte for byte") {
  const TemporaryFolder folder;
  const std::string path = folder / "out/table.csv";
  StudyTable table(path, head(), false);
  const std::vector<StudyRow> eight{{"8", "[T(2,i), V(j)]"}, {"8", ""}};
  table.add(eight);
  CHECK(content_of(path) == "# a study\n# now\nsize,what\n8,\"[T(2,i), V(j)]\"\n8,\n");
  StudyHead later = head();
  later.date = "# the day after\n";
  StudyTable again(path, later, true);
  CHECK(again.rows("8") == eight);
  CHECK(again.rows("9").empty());
  again.add({{"9", "say \"nine\""}});
  CHECK(StudyTable(path, later, true).rows("9") == std::vector<StudyRow>{{"9", "say \"nine\""}});
  CHECK(content_of(path).starts_with("# a study\n# now\nsize,what\n8,"));
}

TEST_CASE("study table: another study's file, other columns and cut rows are refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  const auto open = [&](const StudyHead& with, bool resume) {
    return error_of([&] { StudyTable(path, with, resume); });
  };
  CHECK(open(head(), true).empty());
  StudyTable(path, head(), false).add({{"8", "x"}});
  CHECK(open(head(), false) == path + " is there already; --resume goes on with it");
  StudyHead other = head();
  other.facts = "# another study\n";
  CHECK(open(other, true) ==
        path + ": was made otherwise; to go on with it, it must begin with:\n# another study\n");
  other = head();
  other.columns = "size,who";
  CHECK(open(other, true) == path + ": has other columns; must be size,who");
  folder.write("table.csv", "# a study\n# now\nsize,what\n8,x\n9\n");
  CHECK(open(head(), true) == path + ":5: 1 columns; must be 2");
}
