// SPDX-License-Identifier: Apache-2.0
// tileplan study: the papers' experiments, into a folder.
#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "candidate_quality.h"
#include "combinations.h"
#include "convergence.h"
#include "distribution.h"
#include "divisibility.h"
#include "droplet_study.h"
#include "embedded.h"
#include "expectation.h"
#include "flags.h"
#include "gemm_peers.h"
#include "growth.h"
#include "microkernels.h"
#include "ranking.h"
#include "records.h"
#include "smallgemm.h"
#include "surfaces.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "verbs.h"
#include "version.h"

namespace tileplan {

const std::vector<EmbeddedFile>& embedded_study_layers();  ///< the lists of data/layers

namespace {

constexpr const char* kRankingList = "ranking_study.csv";
constexpr const char* kConvergenceList = "convergence_study.csv";

struct Flags {
  std::string name;
  std::vector<std::string> layers;
  PlanFlags machine;
  RankingOptions ranking;
  SearchStudyOptions search;
  std::optional<double> budget;     ///< none: the study's default
  std::optional<int> measurements;  ///< none: the study's default
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

/// Those asked for, or those of the study's own list.
std::vector<Problem> layers_of(const Flags& flags, const std::string& own_list) {
  return problems_of(flags.layers.empty() ? default_layers(own_list) : flags.layers);
}

/// This host; its notes are printed.
Machine this_machine() {
  Machine machine = detect_machine();
  print_machine_notes(machine);
  return machine;
}

/// The common flags, for the studies of searches on the layers of `own_list`.
SearchStudyOptions search_options(const Flags& flags, const std::string& own_list) {
  SearchStudyOptions options = flags.search;
  options.layers = layers_of(flags, own_list);
  options.folder = flags.ranking.folder;
  options.seed = flags.ranking.seed;
  options.resume = flags.ranking.resume;
  options.version = flags.ranking.version;
  if (flags.budget) options.budget_seconds = *flags.budget;
  if (flags.measurements) options.measurements = *flags.measurements;
  if (options.records.empty()) options.records = records_path();
  return options;
}

void candidates(const Flags& flags) {
  constexpr double kDefaultBudget = 60;
  SearchStudyOptions options = search_options(flags, "candidates_study.csv");
  options.measurements = flags.ranking.schedules;
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  study_candidates(this_machine(), options, say);
}

/// Those of a study of two kinds of schedules, which takes about so many seconds per layer.
SearchStudyOptions kind_options(const Flags& flags, const std::string& own_list) {
  constexpr double kDefaultBudget = 18;
  SearchStudyOptions options = search_options(flags, own_list);
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  return options;
}

void combinations(const Flags& flags) {
  const SearchStudyOptions options = kind_options(flags, kRankingList);
  study_combinations(this_machine(), options, say);
}

void convergence(const Flags& flags) {
  constexpr double kDefaultBudget = 1500;  // seconds: ten layers, about 15 ms a measurement
  SearchStudyOptions options = search_options(flags, kConvergenceList);
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  study_convergence(this_machine(), options, say);
}

void distribution(const Flags& flags) {
  const SearchStudyOptions options = search_options(flags, kRankingList);
  study_distribution(this_machine(), options, say);
}

void divisibility(const Flags& flags) {
  const SearchStudyOptions options = kind_options(flags, kConvergenceList);
  study_divisibility(this_machine(), options, say);
}

/// The options of a study of droplet search: three minutes by default.
SearchStudyOptions droplet_options(const Flags& flags) {
  constexpr double kDefaultBudget = 170;  // seconds
  SearchStudyOptions options = search_options(flags, "droplet_study.csv");
  options.budget_seconds = flags.budget.value_or(kDefaultBudget);
  return options;
}

void expectation(const Flags& flags) {
  study_expectation(this_machine(), droplet_options(flags), say);
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

void microkernels(const Flags& flags) {
  MicrokernelsOptions options{.folder = flags.ranking.folder,
                              .resume = flags.ranking.resume,
                              .version = flags.ranking.version};
  if (flags.budget) options.budget_seconds = *flags.budget;
  if (flags.measurements) options.samples = *flags.measurements;
  study_microkernels(this_machine(), options, say);
}

void p_value(const Flags& flags) { study_p_value(this_machine(), droplet_options(flags), say); }

void ranking(const Flags& flags) {
  RankingOptions options = flags.ranking;
  options.layers = layers_of(flags, kRankingList);
  if (flags.budget) options.budget_seconds = *flags.budget;
  study_ranking(this_machine(), options, say);
}

void smallgemm(const Flags& flags) {
  SmallGemmOptions options{.folder = flags.ranking.folder,
                           .seed = flags.ranking.seed,
                           .resume = flags.ranking.resume,
                           .version = flags.ranking.version};
  if (!flags.layers.empty()) options.shapes.clear();
  for (const std::string& layer : flags.layers) options.shapes.push_back(parse_gemm(layer));
  if (flags.budget) options.budget_seconds = *flags.budget;
  if (flags.measurements) options.pairs = *flags.measurements;
  study_smallgemm(this_machine(), options, gemm_peers(), say);
}

void speculation(const Flags& flags) {
  study_speculation(this_machine(), droplet_options(flags), say);
}

void surfaces(const Flags& flags) { study_surfaces(flags.ranking.folder, say); }

struct Study {
  const char* name;
  const char* about;  ///< a line of --help
  void (*run)(const Flags& flags);
};

constexpr std::array kStudies{
    Study{"candidates", "whether the best schedule is among those handed to other tuners",
          candidates},
    Study{"combinations",
          "random schedules of one register tile against those of two together (2.5 minutes)",
          combinations},
    Study{"convergence", "measurements that each strategy needs for a good schedule (25 minutes)",
          convergence},
    Study{"distribution", "how good random schedules are, the model's first ten among them",
          distribution},
    Study{"divisibility",
          "what schedules reach whose tiles all divide, and what uneven tiles add (3 minutes)",
          divisibility},
    Study{
        "expectation",
        "times over 17 x 17 tile sizes of a product and a convolution, and whether a falling chain "
        "leads from the untiled kernel to the fastest (3 minutes)",
        expectation},
    Study{"growth", "how planning time grows with loops, cache levels and layers", growth},
    Study{"microkernels",
          "share of peak of each register tile, pixels by vectors (seconds, at most 3 minutes)",
          microkernels},
    Study{"pvalue", "droplet search at significance 0.01 to 0.25 and without a test (3 minutes)",
          p_value},
    Study{"ranking", "whether the model orders schedules as this machine does", ranking},
    Study{"smallgemm",
          "products of 8 to 50 rows (3 minutes): our combinations of register tiles, one tile with "
          "a smaller one for what is left, the same padded, and OpenBLAS, BLIS, LIBXSMM. The "
          "results say which kernels those chose; OPENBLAS_CORETYPE=SkylakeX and BLIS_ARCH_TYPE=0 "
          "in the environment ask for AVX-512 where they do not know this CPU",
          smallgemm},
    Study{"speculation", "droplet search with and without speculation (3 minutes)", speculation},
    Study{"surfaces", "cost formulas of the papers and whether descent finds their minimum",
          surfaces}};

/// "candidates, ... or surfaces".
std::string study_names() {
  std::string names = kStudies.front().name;
  for (std::size_t i = 1; i < kStudies.size(); ++i)
    names += (i + 1 < kStudies.size() ? ", " : " or ") + std::string(kStudies[i].name);
  return names;
}

std::string about_studies() {
  std::string text = "Studies:\n";
  for (const Study& study : kStudies) text += std::string(study.name) + ": " + study.about + ".\n";
  return text;
}

void study(Flags& flags) {
  const auto* const found = std::find_if(kStudies.begin(), kStudies.end(),
                                         [&](const Study& one) { return one.name == flags.name; });
  if (found == kStudies.end()) throw Error("study: '" + flags.name + "'; must be " + study_names());
  require_budget(flags.budget);
  if (flags.machine.machine != "host" && found->run != growth)
    throw Error("study: --machine " + flags.machine.machine + " with " + flags.name +
                ", which measures this host; must be left out");
  flags.ranking.version = version_and_commit();
  found->run(flags);
}

}  // namespace

void add_study(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  RankingOptions& ranking = flags->ranking;
  CLI::App* verb = app.add_subcommand("study", "An experiment of the papers, into a folder.");
  verb->footer(about_studies());
  verb->add_option("name", flags->name, study_names())->required();
  verb->add_option("--out", ranking.folder, "folder of the results")->required();
  verb->add_option("--machine", flags->machine.machine,
                   "growth: host, a machine file, or a shipped machine's name");
  verb->add_flag("--resume", ranking.resume, "go on with what the folder holds");
  verb->add_option("--seed", ranking.seed, "of what is drawn at random (1)");
  verb->add_option("--layers", flags->layers, "names, with commas between (the study's own list)")
      ->delimiter(',');
  verb->add_option("--schedules", ranking.schedules, "random schedules per layer (60)");
  verb->add_option("--budget", flags->budget,
                   "seconds of measuring per layer (candidates, ranking: 60; combinations, "
                   "divisibility: 18; smallgemm: 4), per "
                   "search (distribution: 600), in all (convergence: 1500, "
                   "microkernels: 150; expectation, pvalue, speculation: 170)");
  verb->add_option("--measurements", flags->measurements,
                   "schedules per search (600), random ones of distribution, combinations and "
                   "divisibility; pairs per comparison "
                   "(smallgemm: 15), samples per visit (microkernels: 5)");
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
