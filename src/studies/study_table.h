// SPDX-License-Identifier: Apache-2.0
// The results file of a study that can go on from it: rows of texts, complete case by case.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "csv.h"
#include "study.h"

namespace tileplan {

/// The fields of one row.
using StudyRow = CsvFields;

/// The lines that a results file begins with.
struct StudyHead {
  std::string facts;    ///< comment lines; must be the same for a study to go on
  std::string date;     ///< a comment line; may differ
  std::string columns;  ///< names with commas between; the first column names the case
};

/// Returns the head of the table of `study`. `conditions` are comment lines.
StudyHead study_head(const std::string& study, const Machine& machine, const StudyOptions& options,
                     const std::string& conditions, const std::string& columns);

/// Holds cases (layers, sizes ...) with their rows. A case is in the file with all its rows or not
/// at all.
class StudyTable {
 public:
  /// Reads what `path` holds. Throws Error when it is there and `resume` is not set, when it has
  /// other facts or columns than `head`, or when a row has not as many fields as there are columns.
  StudyTable(std::filesystem::path path, const StudyHead& head, bool resume);

  /// Returns the rows of one case in the order added; none when it is not there.
  std::vector<StudyRow> rows(const std::string& name) const;

  /// Adds the rows of one case, and writes the file as a whole. Requires: as many fields as there
  /// are columns.
  void add(const std::vector<StudyRow>& rows);

 private:
  void read(const std::string& content, const StudyHead& head);

  std::filesystem::path path_;
  std::string content_;
  std::size_t columns_;
  std::vector<StudyRow> rows_;
};

}  // namespace tileplan
