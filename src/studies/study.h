// SPDX-License-Identifier: Apache-2.0
// This file declares the options of studies, the folder of their results, and the loop over layers.
#pragma once

#include <filesystem>

#include "csv.h"
#include "layer_search.h"

namespace tileplan {

/// Receives each new part of the summary.
using Print = std::function<void(const std::string& text)>;

/// Holds the options of all studies. Each study uses only some of them.
struct StudyOptions {
  std::vector<Problem> layers = {};
  /// The results are written to this folder, which is created if missing.
  std::string folder = {};
  int schedules = 60;  ///< This many random schedules are drawn per layer.
  /// Each search makes at most this many measurements. Other studies use it as their number of
  /// samples, pairs or plans.
  int measurements = 600;
  double budget_seconds = 600;  ///< The budget is per search, per layer, or for the whole study.
  int seeds = 5;                ///< Each random strategy searches with this many seeds.
  /// If not empty, studies of searches compare these strategies.
  std::vector<std::string> strategies = {};
  std::uint64_t seed = 1;    ///< The first search, random draws and tensors use this seed.
  std::string records = {};  ///< Studies that search store their measurements in this database.
  std::string version = {};  ///< The results name this version of the program.
  /// Only the study named `ranking` uses these options: it plans, draws and measures schedules with
  /// their algorithm and in their regime.
  Options planning = {};
  bool resume = false;  ///< If true, the study continues earlier results.
  /// This function is called before or after each case with the numbers of finished cases and of
  /// all cases.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Throws Error when a number of `options` is out of range.
void require_sense(const StudyOptions& options);
/// Throws Error as require_sense() does. Also throws Error when there are no layers or fewer than
/// kFewestPairs measurements, because the study compares pairs.
void require_pairs(const StudyOptions& options);

/// Writes the files of a study, prints its summary, and writes the summary to summary.txt.
class StudyFolder {
 public:
  StudyFolder(const StudyOptions& options, Print print);
  /// Throws Error as require_sense() does, when there are no layers, and when `table` exists but
  /// must not be continued.
  StudyFolder(const StudyOptions& options, const std::string& table, Print print);

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void say(const std::string& text);
  /// Calls StudyOptions::progress unless it is empty.
  void show(std::size_t done, std::size_t all) const;
  /// Replaces a file of the folder atomically.
  void write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path folder_;
  Print print_;
  std::function<void(int done, int all)> progress_;
  std::string summary_;
};

struct SearchStudy {
  std::string name;        ///< The file of the table is NAME.csv.
  std::string conditions;  ///< Holds comment lines, each of which begins with '#'.
  std::string columns;     ///< The names of the columns are separated by commas.
};

struct LayerResults {
  std::string rows;  ///< These rows are appended to the table.
  std::string svg;
  std::string text;  ///< This text is appended to the summary.
};

/// Calls `measure` for each layer until request_stop(), and writes NAME.csv, NAME-LAYER.svg and
/// summary.txt after each call. If `measure` returns nothing, only the summary says so. The results
/// of a layer during which a stop was requested are discarded. Throws Error as StudyFolder does.
StudyFolder study_layers(
    const SearchStudy& study, const Machine& machine, const StudyOptions& options,
    const Print& print,
    const std::function<std::optional<LayerResults>(const Problem& problem)>& measure);

/// Returns comment lines that name the study, the machine and the program.
std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version);

/// Returns study_facts() and comment lines with the date, the regime and the number of samples.
std::string results_head(const std::string& study, const Machine& machine,
                         const StudyOptions& options);

/// Returns a comment line with the limits at which each search ends.
std::string limits_line(const StudyOptions& options);

/// Returns `layer` as part of a file name. Dashes replace all characters except letters and digits.
std::string file_part(std::string layer);

/// Returns the end of the titles of plots, such as ", MACHINE, hot caches, 1 thread".
std::string conditions_title(const Machine& machine);

/// Returns search options whose version names the program and `study`, so that studies do not use
/// each other's measurements.
LayerSearchOptions layer_options(const StudyOptions& options, const std::string& study,
                                 double budget_seconds = kInfinite);

using StudyRow = CsvFields;

/// Holds the first lines of a results file.
struct StudyHead {
  std::string facts;  ///< A table is continued only if its comment lines equal these.
  std::string date;   ///< This comment line may differ when a table is continued.
  /// Holds the names of the columns, separated by commas. The first column names the case.
  std::string columns;
};

/// Returns the head of the table of `study`. `conditions` are comment lines.
StudyHead study_head(const std::string& study, const Machine& machine, const StudyOptions& options,
                     const std::string& conditions, const std::string& columns);

/// Holds the rows of a table, grouped by cases, such as layers. The table has all rows of a case or
/// none.
class StudyTable {
 public:
  /// Reads `path` if there is such a file. Throws Error when the file exists and `resume` is false,
  /// or when its facts or columns differ from `head`.
  StudyTable(std::filesystem::path path, const StudyHead& head, bool resume);

  /// Returns the rows of the case `name` in the order in which they were added, or none when the
  /// table does not have the case.
  std::vector<StudyRow> rows(const std::string& name) const;

  /// Adds the rows of one case and writes the file. Requires that each row has one field per
  /// column.
  void add(const std::vector<StudyRow>& rows);

 private:
  void read(const std::string& content, const StudyHead& head);

  std::filesystem::path path_;
  std::string content_;
  std::size_t columns_;
  std::vector<StudyRow> rows_;
};

}  // namespace tileplan
