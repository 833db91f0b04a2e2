// SPDX-License-Identifier: Apache-2.0
// All studies share their options, the folder of their results, and the loop over layers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  /// Measurements per search; the papers' strategies need 57 to 1600 per layer. Elsewhere the
  /// plans, samples or pairs of each measurement.
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
  /// Throws Error as require_sense does, when there are no layers, and when `table` is there
  /// already and `options.resume` is not set.
  StudyFolder(const StudyOptions& options, const std::string& table, Print print);

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// Adds to the summary.
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

/// Calls `measure` for each layer, and writes NAME.csv, NAME-LAYER.svg and summary.txt after each;
/// nothing tells that no sample was undisturbed. Ends early, with the layers that are complete,
/// when request_stop() was called. Returns the folder, for what is to be said at the end.
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

}  // namespace tileplan
