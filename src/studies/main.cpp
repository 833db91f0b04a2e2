// SPDX-License-Identifier: Apache-2.0
// This file implements the program tileplan-study, which `tileplan study` starts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <new>

#include "csv.h"
#include "embedded.h"
#include "gemm_peers.h"
#include "gemm_settings.h"
#include "search_experiments.h"
#include "studies.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/gmp_memory.h"
#include "tileplan/machine.h"
#include "tileplan/progress.h"
#include "tileplan/records.h"
#include "tileplan/text.h"
#include "tileplan/verify.h"
#include "tileplan/version.h"
#include "winograd_study.h"
#include "words.h"

namespace tileplan {

/// Returns those lists of layers from data/layers that are compiled into this program.
const std::vector<EmbeddedFile>& embedded_study_layers();

namespace {

struct Flags {
  std::string name;
  std::vector<std::string> layers;
  std::string draw;  ///< If not empty, the plots of this file are drawn again.
  std::string machine = "host";
  StudyOptions options;
  std::optional<double> budget;  ///< The budget is in seconds.
  std::optional<int> measurements;
  std::string types, algorithm, regime;  ///< An empty text stands for the default.
};

enum class Needs { nothing, any_machine, this_host };
enum class Budget { per_layer, whole, unused };

struct Study {
  const char* name;
  const char* about;  ///< This text is shown by --help.
  void (*run)(const Machine& machine, const StudyOptions& options, const Print& print);
  std::string_view tables;  ///< Without --layers, these files of data/layers list the layers.
  double budget_seconds = 600;
  int measurements = 600;
  Needs needs = Needs::this_host;
  Budget budget = Budget::per_layer;  ///< Tells what `budget_seconds` is for, if it is used.
};

template <SearchExperiment (*experiment)()>
void compare(const Machine& machine, const StudyOptions& options, const Print& print) {
  study_searches(experiment(), machine, options, print);
}

constexpr Study kStudies[] = {
    {"ablations",
     "compares random schedules of all microkernels, of single ones and of the fastest one, and "
     "the "
     "order of TTile's metric with ours (10 minutes)",
     compare<ablation_experiment>, "convergence_study.csv", 600, 200, Needs::this_host,
     Budget::whole},
    {"candidates", "shows whether the best schedule is among those handed to other tuners",
     study_candidates, "candidates_study.csv", 60},
    {"combinations",
     "compares random schedules of one register tile with those of two together (2.5 minutes)",
     study_combinations, "ranking_study.csv", 18},
    {"convergence",
     "counts the measurements that each strategy needs for a good schedule (2 hours)",
     compare<convergence_experiment>, "convergence_study.csv", 7200, 600, Needs::this_host,
     Budget::whole},
    {"distribution", "shows how good random schedules are, and the model's first ten among them",
     study_distribution, "ranking_study.csv"},
    {"divisibility",
     "compares schedules whose tiles all divide with those that have uneven tiles (3 minutes)",
     study_divisibility, "convergence_study.csv", 18},
    {"expectation",
     "times 17 x 17 tile sizes of a product and a convolution, and says whether a falling chain "
     "leads from the untiled kernel to the fastest (3 minutes)",
     study_expectation, "droplet_study.csv", 170, 600, Needs::this_host, Budget::whole},
    {"gemmfamily",
     "times matrix products of ResNet-50, OpEvo, squares and thin ones (13 minutes): each variant "
     "of the GEMM family, packing and parallel loop, the model's choice in pairs with rivals and "
     "with oneDNN, OpenBLAS and BLIS, and the steps from plain loops to the microkernel",
     [](const Machine& machine, const StudyOptions& options, const Print& print) {
       StudyOptions chosen = options;
       if (chosen.layers.empty()) chosen.layers = gemm_family_products();
       study_gemm_family(machine, chosen, find_peers({"best"}, machine), print);
     },
     "", 8, 15},
    {"growth", "shows how planning time grows with loops, cache levels and layers", study_growth,
     "yolo9000.csv resnet18.csv mobilenet_dense.csv mobilenet_v1_dw.csv", 600, 5,
     Needs::any_machine, Budget::unused},
    {"kinds",
     "compares droplet search with others on products, convolutions, pooling and sums (15 minutes)",
     compare<kinds_experiment>, "droplet_kinds.csv", 900, 600, Needs::this_host, Budget::whole},
    {"microkernels", "measures the share of peak of each register tile (at most 3 minutes)",
     [](const Machine& machine, const StudyOptions& options, const Print& print) {
       study_microkernels(machine, options, print);
     },
     "", 150, 5, Needs::this_host, Budget::whole},
    {"overheads", "shows how much a factor of two in each overhead changes the choice (4 minutes)",
     study_overheads, "yolo9000.csv resnet18.csv mobilenet_dense.csv mobilenet_v1_dw.csv", 600, 600,
     Needs::any_machine, Budget::unused},
    {"opevo",
     "repeats the tables of OpEvo's paper: speeds after 512 measurements, mean and deviation (1 "
     "hour)",
     compare<opevo_experiment>, "opevo.csv", 3600, 512, Needs::this_host, Budget::whole},
    {"pvalue", "runs droplet search at significance 0.01 to 0.25 and without a test (3 minutes)",
     study_p_value, "droplet_study.csv", 170, 600, Needs::this_host, Budget::whole},
    {"ranking", "shows whether the model orders schedules as this machine does", study_ranking,
     "ranking_study.csv", 60},
    {"smallgemm",
     "times products of 8 to 50 rows with packing inside the times (3 minutes): our combinations "
     "of register tiles, also with B packed before, one tile with a smaller or a padded one for "
     "the rest, and OpenBLAS, BLIS and LIBXSMM. The results say which kernels those chose; "
     "OPENBLAS_CORETYPE=SkylakeX and BLIS_ARCH_TYPE=0 in the environment ask for AVX-512 where "
     "they do not know this CPU",
     [](const Machine& machine, const StudyOptions& options, const Print& print) {
       StudyOptions chosen = options;
       if (chosen.layers.empty()) chosen.layers = small_products();
       study_smallgemm(machine, chosen, gemm_peers(), print);
     },
     "", 4, 15},
    {"speculation", "runs droplet search with and without speculation (3 minutes)",
     study_speculation, "droplet_study.csv", 170, 600, Needs::this_host, Budget::whole},
    {"surfaces", "shows whether descent finds the minimum of cost formulas of the papers",
     [](const Machine& /*machine*/, const StudyOptions& options, const Print& print) {
       study_surfaces(options, print);
     },
     "", 600, 600, Needs::nothing, Budget::unused},
    {"template",
     "judges droplet search in the space of AutoTVM's template for convolutions (10 minutes)",
     compare<template_experiment>, "template_study.csv", 600, 600, Needs::this_host, Budget::whole},
    {"winograd",
     "measures the rounding errors of Winograd convolutions and the speed of their transforms "
     "(1 minute)",
     [](const Machine& machine, const StudyOptions& options, const Print& print) {
       study_winograd(machine, options, print);
     },
     "", 600, 15}};

/// Returns the layers that the flags name, or else the layers of the study's tables. Throws Error
/// when the study measures a layer that does not fit in memory.
std::vector<Problem> problems_of(const Flags& flags, const Study& study) {
  std::vector<std::string> names = flags.layers;
  if (names.empty())
    for (const EmbeddedFile& file : embedded_study_layers())
      if (study.tables.find(file.name) != std::string_view::npos)
        for (const CsvFields& row : parse_csv(file.content, file.name).rows)
          names.push_back(row.front());
  std::vector<Problem> problems;
  const std::string types = flags.types.empty() ? "" : "--dt=" + flags.types + ' ';
  for (const std::string& name : names) {
    problems.push_back(parse_problem(types + name));
    if (study.needs == Needs::this_host) require_memory(computation_of(problems.back()));
  }
  return problems;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const Study& study : kStudies) names.emplace_back(study.name);
  return names;
}

std::string about_studies() {
  std::string text = "Studies:\n";
  for (const Study& study : kStudies) text += std::string(study.name) + ": " + study.about + ".\n";
  return text;
}

const Study& study_named(const std::string& name) {
  require_known("study", name, study_names());
  return *std::ranges::find(kStudies, name, &Study::name);
}

/// Returns the budget of a study for all of `options.layers` together in seconds, or 0 if the study
/// has no budget.
double expected_seconds(const Study& study, const StudyOptions& options) {
  if (study.budget == Budget::unused) return 0;
  const auto layers = static_cast<double>(options.layers.size());
  return options.budget_seconds * (study.budget == Budget::whole ? 1 : layers);
}

/// Prints to stderr the path of the summary and the number of other files in the folder.
void print_written(const std::filesystem::path& folder) {
  std::ptrdiff_t others = -1;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder)) ++others;
  std::cerr << "wrote " << message_line((folder / "summary.txt").string()) << " and " << others
            << (others == 1 ? " other file\n" : " other files\n");
}

/// Returns the options with which the study `ranking` plans and measures schedules. Throws Error
/// when flags set such options or element types for another study.
Options planning_options(const Flags& flags) {
  Options planning;
  if (!flags.algorithm.empty()) planning.algorithm = parse_algorithm(flags.algorithm);
  if (!flags.regime.empty()) planning.regime = parse_regime(flags.regime);
  const bool is_default = flags.algorithm.empty() && flags.regime.empty() && flags.types.empty();
  if (!is_default && flags.name != "ranking")
    throw Error("study: --algorithm, --regime or --dt with " + flags.name +
                "; must be with ranking");
  return planning;
}

void run(Flags& flags) {
  const Study& study = study_named(flags.name);
  if (flags.budget && !(*flags.budget > 0 && std::isfinite(*flags.budget)))
    throw Error("--budget: " + std::to_string(*flags.budget) +
                " seconds; must be positive and finite");
  if (flags.machine != "host" && study.needs != Needs::any_machine)
    throw Error("study: --machine " + flags.machine + " with " + flags.name +
                ", which measures this host; must be left out");
  StudyOptions& options = flags.options;
  options.planning = planning_options(flags);
  options.layers = problems_of(flags, study);
  options.budget_seconds = flags.budget.value_or(study.budget_seconds);
  options.measurements = flags.measurements.value_or(study.measurements);
  options.version = version();
  if (options.records.empty()) options.records = records_path();
  Machine machine;
  if (study.needs != Needs::nothing) {
    machine = flags.machine == "host" ? detect_machine() : load_machine(flags.machine);
    if (!machine.provenance.refusal.empty())
      std::cerr << "note: " << machine.provenance.refusal << '\n';
    for (const std::string& note : machine.provenance.notes) std::cerr << "note: " << note << '\n';
  }
  ProgressLine line("study " + flags.name, expected_seconds(study, options));
  options.progress = line.counter();
  study.run(machine, options, [&line](const std::string& text) {
    line.clear();
    std::cout << text << std::flush;
  });
  line.clear();
  print_written(options.folder);
}

void draw(const Flags& flags) {
  using Draw = std::function<void(const std::string&, const std::string&, const StudyFolder&)>;
  std::map<std::string, Draw> studies{{"microkernels", draw_microkernels},
                                      {"ranking", draw_ranking}};
  for (const std::string study : {"ablations", "convergence", "kinds", "opevo", "template"})
    studies[study] = std::bind_front(draw_convergence, study);
  const auto found = studies.find(flags.name);
  if (found == studies.end())
    throw Error("study: --draw with " + flags.name +
                "; must be with ablations, convergence, kinds, microkernels, opevo, ranking or "
                "template");
  found->second(read_file(flags.draw, "a table to draw"), flags.draw, {flags.options, {}});
}

void add_subject_flags(CLI::App& app, Flags& flags) {
  StudyOptions& options = flags.options;
  app.add_option("name", flags.name, "The study is one of " + comma_separated(study_names()) + ".")
      ->required();
  app.add_option("--out", options.folder, "Write the results into this folder.")->required();
  app.add_option(
      "--machine", flags.machine,
      "For growth and overheads: host, a machine file, or the name of a shipped machine.");
  app.add_option("--draw", flags.draw,
                 "Draw the plots of this CSV file again (ablations, convergence, kinds, "
                 "microkernels, opevo, ranking, template).");
  app.add_flag("--resume", options.resume, "Go on with what the folder holds.");
  app.add_option("--seed", options.seed, "Seed the random draws with this number (default: 1).");
  app.add_option("--layers", flags.layers,
                 "Take these layers, separated by commas (default: the list of the study).")
      ->delimiter(',');
}

void add_limit_flags(CLI::App& app, Flags& flags) {
  StudyOptions& options = flags.options;
  app.add_option(
      "--schedules", options.schedules,
      "Draw so many random schedules per layer in ranking and candidates (default: 60).");
  app.add_option(
      "--budget", flags.budget,
      "Measure for so many seconds per layer (candidates, ranking: 60; combinations, "
      "divisibility: 18; gemmfamily: 8; smallgemm: 4), per search (distribution: 600), in all "
      "(convergence: 7200; opevo: 3600; kinds: 900; ablations, template: 600; microkernels: "
      "150; expectation, pvalue, speculation: 170).");
  app.add_option(
      "--measurements", flags.measurements,
      "Measure so many schedules per search (default: 600), random ones in "
      "distribution, combinations and "
      "divisibility; pairs per comparison (gemmfamily, smallgemm: 15), samples per visit "
      "(microkernels: 5) or per transform (winograd: 15), plans per problem (growth: 5).");
  app.add_option("--seeds", options.seeds,
                 "Run each random strategy of ablations, convergence, kinds, opevo and template so "
                 "many times (default: 5).");
}

void add_choice_flags(CLI::App& app, Flags& flags) {
  app.add_option("--strategies", flags.options.strategies,
                 "Compare these strategies, separated by commas (default: those of the study).")
      ->delimiter(',');
  app.add_option("--dt", flags.types,
                 "For ranking: set the element types of the layers, as in other verbs.");
  app.add_option("--algorithm", flags.algorithm,
                 "For ranking: compare schedules of direct (the default), winograd or any.");
  app.add_option("--regime", flags.regime,
                 "For ranking: predict and measure for this cache state (default: hot).");
  app.add_option("--records", flags.options.records,
                 "Use this database of measurements (default: in the cache folder).");
}

/// Throws Error for the first option that no study has. The check is made here, because CLI11 would
/// report all unknown options but not suggest the one that was probably meant.
void check_options(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  require_known_options("study", arguments, known);
}

/// The first Ctrl-C asks the study to end early. The second ends the program.
void set_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { request_stop(); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

constexpr int kWrong = 2;

int fail(const std::string& text) {
  std::cerr << "tileplan: " << message_line(text) << '\n';
  return kWrong;
}

int run_program(int argc, char** argv) {
  CLI::App app{"Run an experiment of the papers and write its results into a folder.",
               "tileplan study"};
  Flags flags;
  app.footer(about_studies());
  add_subject_flags(app, flags);
  add_limit_flags(app, flags);
  add_choice_flags(app, flags);
  set_signals();
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "tileplan: " + message_line(error.what()) + " (see --help)\n";
  });
  try {
    check_options(app, {argv + 1, argv + std::max(argc, 1)});
    app.parse(argc, argv);
    flags.draw.empty() ? run(flags) : draw(flags);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrong;
  }
  return 0;
}

}  // namespace
}  // namespace tileplan

int main(int argc, char** argv) {
  tileplan::let_gmp_throw();
  try {
    return tileplan::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return tileplan::fail("out of memory; the study needs more than this machine has left");
  } catch (const std::exception& error) {
    return tileplan::fail(error.what());
  }
}
