// SPDX-License-Identifier: Apache-2.0
// This file checks options, runs studies layer by layer, and writes and reads the files of their
// folders.
#include "study.h"

#include <algorithm>
#include <cctype>

#include "check.h"
#include "files.h"
#include "record_lines.h"
#include "runner.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/records.h"
#include "tileplan/verify.h"

namespace tileplan {

void require_sense(const StudyOptions& options) {
  const auto require = [](const char* name, int value) {
    if (value < 1) throw Error(joined(name, ": ", value, "; must be at least 1"));
  };
  require("schedules", options.schedules);
  require("measurements", options.measurements);
  require("seeds", options.seeds);
  require_budget(options.budget_seconds);
}

void require_pairs(const StudyOptions& options) {
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  if (options.measurements < kFewestPairs)
    throw Error(joined("pairs: ", options.measurements, "; must be at least ", kFewestPairs));
  require_sense(options);
}

StudyFolder::StudyFolder(const StudyOptions& options, Print print)
    : folder_(options.folder), print_(std::move(print)), progress_(options.progress) {}

StudyFolder::StudyFolder(const StudyOptions& options, const std::string& table, Print print)
    : StudyFolder(options, std::move(print)) {
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  require_sense(options);
  if (!options.resume && std::filesystem::exists(path(table)))
    throw Error(path(table).string() + " is there already; --resume goes on with it");
}

void StudyFolder::say(const std::string& text) {
  summary_ += text;
  print_(text);
  write("summary.txt", summary_);
}

void StudyFolder::show(std::size_t done, std::size_t all) const {
  if (progress_) progress_(static_cast<int>(done), static_cast<int>(all));
}

void StudyFolder::write(const std::string& name, const std::string& content) const {
  atomic_write(path(name).string(), content);
}

StudyFolder study_layers(
    const SearchStudy& study, const Machine& machine, const StudyOptions& options,
    const Print& print,
    const std::function<std::optional<LayerResults>(const Problem& problem)>& measure) {
  const std::string file = study.name + ".csv";
  StudyFolder folder(options, file, print);
  const std::string head = results_head(study.name, machine, options) + study.conditions;
  folder.say(head);
  std::string table = head + study.columns + '\n';
  std::size_t done = 0;
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    folder.show(done++, options.layers.size());
    const std::optional<LayerResults> results = measure(problem);
    if (stop_requested()) break;
    if (!results) {
      folder.say(name_of(problem) + ": nothing was measured undisturbed\n");
      continue;
    }
    table += results->rows;
    folder.write(study.name + '-' + file_part(name_of(problem)) + ".svg", results->svg);
    folder.write(file, table);
    folder.say(results->text);
  }
  return folder;
}

std::string study_facts(const std::string& study, const Machine& machine,
                        const std::string& version) {
  return "# tileplan study " + study + ", " + machine.name + ", " +
         (machine.provenance.calibrated.empty() ? "not calibrated"
                                                : "calibrated " + machine.provenance.calibrated) +
         "\n# program " + version + ", compiler " + __VERSION__ + '\n';
}

std::string results_head(const std::string& study, const Machine& machine,
                         const StudyOptions& options) {
  return study_facts(study, machine, options.version) + "# " + utc_time() +
         "\n# hot caches, weights packed before, 1 thread; 3 undisturbed samples per schedule, "
         "their mean\n";
}

std::string limits_line(const StudyOptions& options) {
  return joined("# at most ", options.measurements, " measurements or ", options.budget_seconds,
                " s per search\n");
}

std::string file_part(std::string layer) {
  std::ranges::replace_if(
      layer, [](unsigned char one) { return std::isalnum(one) == 0; }, '-');
  return layer;
}

std::string conditions_title(const Machine& machine) {
  return ", " + machine.name + ", hot caches, 1 thread";
}

LayerSearchOptions layer_options(const StudyOptions& options, const std::string& study,
                                 double budget_seconds) {
  return {.records = options.records,
          .version = options.version + ", study " + study,
          .budget_seconds = budget_seconds,
          .seed = options.seed};
}

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
  if (!std::string_view(content).substr(after_date).starts_with(head.columns + '\n'))
    throw Error(path_.string() + ": has other columns; must be " + head.columns);
  rows_ = parse_csv(content, path_.string()).rows;
  content_ = content;
}

std::vector<StudyRow> StudyTable::rows(const std::string& name) const {
  std::vector<StudyRow> found = rows_;
  std::erase_if(found, [&](const StudyRow& row) { return row.front() != name; });
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
