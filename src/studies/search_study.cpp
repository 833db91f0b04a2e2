// SPDX-License-Identifier: Apache-2.0
// Folders and heads of results.
#include "search_study.h"

#include <cctype>
#include <sstream>

#include "files.h"
#include "records.h"
#include "tileplan/error.h"

namespace tileplan {

StudyFolder::StudyFolder(const SearchStudyOptions& options, const std::string& table,
                         std::function<void(const std::string&)> say)
    : StudyFolder(options.folder, std::move(say)) {
  const auto require = [](const char* name, int value) {
    if (value < 1)
      throw Error(std::string(name) + ": " + std::to_string(value) + "; must be at least 1");
  };
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  require("measurements", options.measurements);
  require("seeds", options.seeds);
  if (!(options.budget_seconds > 0)) throw Error("budget: must be more than 0 seconds");
  const std::filesystem::path path = folder_ / table;
  if (!options.resume && std::filesystem::exists(path))
    throw Error(path.string() + " is there already; --resume goes on with it");
}

void StudyFolder::say(const std::string& text) {
  summary_ += text;
  say_(text);
  write("summary.txt", summary_);
}

void StudyFolder::write(const std::string& name, const std::string& content) const {
  atomic_write((folder_ / name).string(), content);
}

std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version) {
  return "# tileplan study " + study + ", " + machine.name + ", " +
         (machine.calibrated.empty() ? "not calibrated" : "calibrated " + machine.calibrated) +
         "\n# program " + version + ", compiler " + __VERSION__ + '\n';
}

std::string results_head(const std::string& study, const Machine& machine,
                         const SearchStudyOptions& options) {
  std::ostringstream head;
  head << study_facts(study, machine, options.version) << "# " << utc_time()
       << "\n# hot caches, weights packed before, 1 thread; 3 undisturbed samples per schedule, "
          "their mean\n";
  return head.str();
}

std::string limits_line(const SearchStudyOptions& options) {
  std::ostringstream line;
  line << "# at most " << options.measurements << " measurements or " << options.budget_seconds
       << " s per search\n";
  return line.str();
}

std::string file_part(std::string layer) {
  for (char& letter : layer)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  return layer;
}

LayerSearchOptions layer_options(const SearchStudyOptions& options, const std::string& study) {
  return {.records = options.records,
          .version = options.version + ", study " + study,
          .seed = options.seed};
}

}  // namespace tileplan
