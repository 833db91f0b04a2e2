// SPDX-License-Identifier: Apache-2.0
// Keeps the lines of the old file as they are.
#include "study_table.h"

#include "check.h"
#include "csv.h"
#include "files.h"
#include "records.h"
#include "tileplan/error.h"

namespace tileplan {

StudyHead study_head(const std::string& study, const Machine& machine, const StudyOptions& options,
                     const std::string& conditions, const std::string& columns) {
  return {.facts = study_facts(study, machine, options.version) + conditions,
          .date = "# " + utc_time() + '\n',
          .columns = columns};
}

StudyTable::StudyTable(std::filesystem::path path, const StudyHead& head, bool resume)
    : path_(std::move(path)),
      content_(head.facts + head.date + head.columns + '\n'),
      columns_(csv_fields(head.columns).size()) {
  if (!std::filesystem::exists(path_)) return;
  if (!resume) throw Error(path_.string() + " is there already; --resume goes on with it");
  read(read_file(path_, "the table of an earlier run"), head);
}

void StudyTable::read(const std::string& content, const StudyHead& head) {
  if (!content.starts_with(head.facts))
    throw Error(path_.string() + ": was made otherwise; to go on with it, it must begin with:\n" +
                head.facts);
  const std::size_t after_date = content.find('\n', head.facts.size()) + 1;
  const std::string columns = head.columns + '\n';
  if (content.compare(after_date, columns.size(), columns) != 0)
    throw Error(path_.string() + ": has other columns; must be " + head.columns);
  rows_ = parse_csv(content, path_.string()).rows;
  content_ = content;
}

std::vector<StudyRow> StudyTable::rows(const std::string& name) const {
  std::vector<StudyRow> found;
  for (const StudyRow& row : rows_)
    if (row.front() == name) found.push_back(row);
  return found;
}

void StudyTable::add(const std::vector<StudyRow>& rows) {
  for (const StudyRow& row : rows) {
    TILEPLAN_CHECK(row.size() == columns_, "a row of other columns");
    rows_.push_back(row);
    content_ += csv_line(row);
  }
  atomic_write(path_.string(), content_);
}

}  // namespace tileplan
