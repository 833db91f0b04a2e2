// SPDX-License-Identifier: Apache-2.0
// tileplan study: the papers' experiments, into a folder.
#include <iostream>
#include <set>
#include <sstream>

#include "candidate_quality.h"
#include "convergence.h"
#include "distribution.h"
#include "embedded.h"
#include "flags.h"
#include "growth.h"
#include "ranking.h"
#include "records.h"
#include "surfaces.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "verbs.h"
#include "version.h"

namespace tileplan {

const std::vector<EmbeddedFile>& embedded_study_layers();  ///< the lists of data/layers

namespace {

struct Flags {
  std::string name;
  std::vector<std::string> layers;
  PlanFlags machine;
  RankingOptions ranking;
  SearchStudyOptions search;
  std::optional<double> budget;  ///< none: the study's default
};

/// The layers that the table of a study lists.
std::vector<std::string> default_layers(const std::string& table) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_study_layers()) {
    if (file.name != table) continue;
    std::istringstream lines(file.content);
    bool head = true;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.front() == '#') continue;
      if (!head) names.push_back(line.substr(0, line.find(',')));
      head = false;
    }
  }
  return names;
}

void say(const std::string& text) { std::cout << text << std::flush; }

/// Throws Error for names that are not problems, and for problems too large to measure here.
std::vector<Problem> problems_of(const std::vector<std::string>& names) {
  std::vector<Problem> problems;
  problems.reserve(names.size());
  for (const std::string& name : names) {
    problems.push_back(parse_problem(name));
    require_memory(computation_of(problems.back()));
  }
  return problems;
}

/// The common flags, for the studies of searches.
SearchStudyOptions search_options(const Flags& flags) {
  SearchStudyOptions options = flags.search;
  options.layers = flags.ranking.layers;
  options.folder = flags.ranking.folder;
  options.seed = flags.ranking.seed;
  options.resume = flags.ranking.resume;
  options.version = flags.ranking.version;
  if (flags.budget) options.budget_seconds = *flags.budget;
  if (options.records.empty()) options.records = records_path();
  return options;
}

void candidates(const Flags& flags, const Machine& machine) {
  constexpr double kDefaultBudget = 60;
  SearchStudyOptions options = search_options(flags);
  options.measurements = flags.ranking.schedules;
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  study_candidates(machine, options, say);
}

void convergence(const Flags& flags, const Machine& machine) {
  constexpr double kDefaultBudget = 1500;  // seconds: ten layers, about 15 ms a measurement
  SearchStudyOptions options = search_options(flags);
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  study_convergence(machine, options, say);
}

/// The list of layers that a study takes when none are named.
std::string own_list(const std::string& study) {
  const std::set<std::string> lists{"candidates", "convergence"};
  return (lists.contains(study) ? study : "ranking") + "_study.csv";
}

void growth(const Flags& flags) {
  GrowthOptions options{
      .folder = flags.ranking.folder, .layers = flags.layers, .version = flags.ranking.version};
  if (options.layers.empty())
    for (const char* table :
         {"yolo9000.csv", "resnet18.csv", "mobilenet_dense.csv", "mobilenet_v1_dw.csv"})
      for (const std::string& name : default_layers(table)) options.layers.push_back(name);
  const Machine machine = machine_of(flags.machine);
  print_machine_notes(machine);
  study_growth(machine, options, say);
}

void study(Flags& flags) {
  if (flags.name == "surfaces") return study_surfaces(flags.ranking.folder, say);
  const std::set<std::string> names{"candidates", "convergence", "distribution", "growth",
                                    "ranking"};
  if (!names.contains(flags.name))
    throw Error("study: '" + flags.name +
                "'; must be candidates, convergence, distribution, growth, ranking or surfaces");
  require_budget(flags.budget);
  flags.ranking.version = std::string(kVersion) + " (" + kCommit + ")";
  if (flags.name == "growth") return growth(flags);
  flags.ranking.layers =
      problems_of(flags.layers.empty() ? default_layers(own_list(flags.name)) : flags.layers);
  if (flags.budget) flags.ranking.budget_seconds = *flags.budget;
  const Machine machine = detect_machine();
  print_machine_notes(machine);
  if (flags.name == "candidates") candidates(flags, machine);
  if (flags.name == "ranking") study_ranking(machine, flags.ranking, say);
  if (flags.name == "convergence") convergence(flags, machine);
  if (flags.name == "distribution") study_distribution(machine, search_options(flags), say);
}

}  // namespace

void add_study(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  RankingOptions& ranking = flags->ranking;
  CLI::App* verb = app.add_subcommand("study", "An experiment of the papers, into a folder.");
  verb->add_option("name", flags->name,
                   "candidates, convergence, distribution, growth, ranking or surfaces")
      ->required();
  verb->add_option("--out", ranking.folder, "folder of the results")->required();
  verb->add_option("--machine", flags->machine.machine,
                   "growth: host, a machine file, or a shipped machine's name");
  verb->add_flag("--resume", ranking.resume, "go on with what the folder holds");
  verb->add_option("--seed", ranking.seed, "of the random schedules (1)");
  verb->add_option("--layers", flags->layers, "names, with commas between (the study's own list)")
      ->delimiter(',');
  verb->add_option("--schedules", ranking.schedules, "random schedules per layer (60)");
  verb->add_option("--budget", flags->budget,
                   "seconds of measuring per layer (candidates, ranking: 60), per search "
                   "(distribution: 600), in "
                   "all (convergence: 1500)");
  verb->add_option("--measurements", flags->search.measurements,
                   "schedules per search (600), random ones of distribution");
  verb->add_option("--seeds", flags->search.seeds,
                   "searches of each random strategy of convergence (5)");
  verb->add_option("--records", flags->search.records,
                   "database of measurements (in the cache folder)");
  verb->callback([flags, &status] {
    study(*flags);
    status = Status::good;
  });
}

}  // namespace tileplan
