// SPDX-License-Identifier: Apache-2.0
// Results that a study goes on with.
#include "study_table.h"

#include <doctest/doctest.h>

#include "csv.h"
#include "error_of.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

StudyHead head() { return {.facts = "# a study\n", .date = "# now\n", .columns = "size,what"}; }

}  // namespace

TEST_CASE("csv: fields keep commas and quotes between quotes") {
  CHECK(csv_fields("a,\"b \"\"c\"\", d\",,") ==
        std::vector<std::string>{"a", "b \"c\", d", "", ""});
  CHECK(csv_quoted("b \"c\", d") == "\"b \"\"c\"\", d\"");
  CHECK(csv_number(0.1) == "0.1");
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
  CHECK(open(head(), true) == path + ": '9' has 1 columns; must be 2");
}
