// SPDX-License-Identifier: Apache-2.0
// What the studies of searches share: options, the folder of results, their head.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "layer_search.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

struct SearchStudyOptions {
  std::vector<Problem> layers = {};
  std::string folder;  ///< of the results; made when it is missing
  /// Measurements per search; the papers' strategies need 57 to 1600 per layer.
  int measurements = 600;
  double budget_seconds = 600;  ///< per search (convergence: of the whole study)
  int seeds = 5;                ///< searches of each strategy that draws at random
  std::uint64_t seed = 1;       ///< the first of them
  std::string records;          ///< database in which all measurements are kept
  std::string version;          ///< of the program, for the head of the results
  bool resume = false;          ///< go on with what the folder and the records hold
};

/// A study's file names and what it says, on the terminal and in summary.txt.
class StudyFolder {
 public:
  StudyFolder(std::filesystem::path folder, std::function<void(const std::string&)> say)
      : folder_(std::move(folder)), say_(std::move(say)) {}
  /// Throws Error when an option makes no sense, and when `table` is there already and
  /// `options.resume` is not set.
  StudyFolder(const SearchStudyOptions& options, const std::string& table,
              std::function<void(const std::string&)> say);

  /// Adds to the summary.
  void say(const std::string& text);
  /// Replaces a file of the folder as a whole.
  void write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path folder_;
  std::function<void(const std::string&)> say_;
  std::string summary_;
};

/// Comment lines: what was run, on which machine, by which program.
std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version);

/// The same, when, and in which regime.
std::string results_head(const std::string& study, const Machine& machine,
                         const SearchStudyOptions& options);

/// A comment line: what ends each search.
std::string limits_line(const SearchStudyOptions& options);

/// `layer` with what is neither letter nor digit as dashes, for file names.
std::string file_part(std::string layer);

/// What the searches of a study pass on.
LayerSearchOptions layer_options(const SearchStudyOptions& options, const std::string& study);

}  // namespace tileplan
