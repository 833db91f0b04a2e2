// SPDX-License-Identifier: Apache-2.0
// All studies share their options, the folder of their results, and the loop over layers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "csv.h"
#include "layer_search.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Shows a part of the summary as it grows.
using Print = std::function<void(const std::string& text)>;

/// Each study uses the fields that make sense for it.
struct StudyOptions {
  std::vector<Problem> layers = {};
  std::string folder = {};  ///< of the results; made when it is missing
  /// Random schedules per layer (ranking, candidates).
  int schedules = 60;
  /// Measurements per search, or the plans, samples or pairs of each measurement.
  int measurements = 600;
  double budget_seconds = 600;  ///< per search, per layer, or of the whole study
  int seeds = 5;                ///< searches of each strategy that draws at random
  std::uint64_t seed = 1;       ///< the first of them; also of the tensors
  std::string records = {};     ///< database in which all measurements are kept
  std::string version = {};     ///< of the program, for the head of the results
  bool resume = false;          ///< go on with what the folder and the records hold
};

/// Throws Error for a number that makes no sense.
void require_sense(const StudyOptions& options);

/// Writes the files of a study, and prints its summary, which is summary.txt too.
class StudyFolder {
 public:
  StudyFolder(const StudyOptions& options, Print print);
  /// Throws Error as require_sense does, without layers, and when it may not go on with `table`.
  StudyFolder(const StudyOptions& options, const std::string& table, Print print);

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void say(const std::string& text);
  /// Replaces a file of the folder as a whole.
  void write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path folder_;
  Print print_;
  std::string summary_;
};

/// The words of a study of searches. Its table is NAME.csv.
struct SearchStudy {
  std::string name;
  std::string conditions;  ///< comment lines
  std::string columns;     ///< names with commas between
};

/// The results of a study for one layer.
struct LayerResults {
  std::string rows;  ///< lines of the table
  std::string svg;
  std::string text;  ///< of the summary
};

/// Calls `measure` for each layer until request_stop(), and writes NAME.csv, NAME-LAYER.svg and
/// summary.txt after each. `measure` returns nothing when no sample was undisturbed.
StudyFolder study_layers(
    const SearchStudy& study, const Machine& machine, const StudyOptions& options,
    const Print& print,
    const std::function<std::optional<LayerResults>(const Problem& problem)>& measure);

/// Returns comment lines: the study, the machine, the program.
std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version);

/// Returns the same lines, the time, and the regime.
std::string results_head(const std::string& study, const Machine& machine,
                         const StudyOptions& options);

/// Returns a comment line: what ends each search.
std::string limits_line(const StudyOptions& options);

/// Returns `layer` for file names, with dashes for what is neither letter nor digit.
std::string file_part(std::string layer);

/// Returns ", MACHINE, hot caches, 1 thread": the conditions, as titles of plots end with them.
std::string conditions_title(const Machine& machine);

/// Returns what the searches of a study have in common.
LayerSearchOptions layer_options(const StudyOptions& options, const std::string& study);

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

/// Holds cases (layers, sizes ...), each with all its rows or not at all.
class StudyTable {
 public:
  /// Reads `path`. Throws Error when it exists and `resume` is not set, or has other facts or
  /// columns.
  StudyTable(std::filesystem::path path, const StudyHead& head, bool resume);

  /// Returns the rows of one case in the order added; none when it is not there.
  std::vector<StudyRow> rows(const std::string& name) const;

  /// Adds the rows of one case and writes the file. Requires: a field for each column.
  void add(const std::vector<StudyRow>& rows);

 private:
  void read(const std::string& content, const StudyHead& head);

  std::filesystem::path path_;
  std::string content_;
  std::size_t columns_;
  std::vector<StudyRow> rows_;
};

}  // namespace tileplan
