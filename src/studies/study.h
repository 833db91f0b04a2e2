// SPDX-License-Identifier: Apache-2.0
// All studies share their options, the folder of their results, and the loop over layers.
#pragma once

#include <filesystem>

#include "csv.h"
#include "layer_search.h"

namespace tileplan {

/// Receives each part of the summary as it grows.
using Print = std::function<void(const std::string& text)>;

/// Each study uses the fields that make sense for it.
struct StudyOptions {
  std::vector<Problem> layers = {};
  std::string folder = {};      ///< It takes the results, and is made when it is missing.
  int schedules = 60;           ///< So many are drawn at random per layer (ranking, candidates).
  int measurements = 600;       ///< They count per search, or as the plans or pairs of each case.
  double budget_seconds = 600;  ///< It holds per search, per layer, or for the whole study.
  int seeds = 5;                ///< Each strategy that draws at random searches so often.
  std::uint64_t seed = 1;       ///< The first search and the tensors take it.
  std::string records = {};     ///< This database keeps all measurements.
  std::string version = {};     ///< The head of the results names this version of the program.
  bool resume = false;          ///< The study goes on with what the folder and the records hold.
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

struct SearchStudy {
  std::string name;        ///< The table is NAME.csv.
  std::string conditions;  ///< Each line begins with '#'.
  std::string columns;     ///< Commas separate the names.
};

struct LayerResults {
  std::string rows;  ///< The table ends with them so far.
  std::string svg;
  std::string text;  ///< The summary ends with it so far.
};

/// Calls `measure` for each layer until request_stop(), and writes NAME.csv, NAME-LAYER.svg and
/// summary.txt after each. `measure` returns nothing when no sample was undisturbed.
StudyFolder study_layers(
    const SearchStudy& study, const Machine& machine, const StudyOptions& options,
    const Print& print,
    const std::function<std::optional<LayerResults>(const Problem& problem)>& measure);

/// Returns comment lines that name the study, the machine and the program.
std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version);

/// Returns study_facts, the time, and the regime.
std::string results_head(const std::string& study, const Machine& machine,
                         const StudyOptions& options);

/// Returns a comment line that says when each search ends.
std::string limits_line(const StudyOptions& options);

/// Returns `layer` for file names, with dashes for what is neither letter nor digit.
std::string file_part(std::string layer);

/// Returns ", MACHINE, hot caches, 1 thread", with which the titles of plots end.
std::string conditions_title(const Machine& machine);

LayerSearchOptions layer_options(const StudyOptions& options, const std::string& study,
                                 double budget_seconds = kInfinite);

using StudyRow = CsvFields;

/// A results file begins with these lines.
struct StudyHead {
  std::string facts;    ///< These comment lines must be equal for a study to go on.
  std::string date;     ///< This comment line may differ.
  std::string columns;  ///< Commas separate the names, and the first column names the case.
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
