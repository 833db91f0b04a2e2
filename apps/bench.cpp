// SPDX-License-Identifier: Apache-2.0
// `tileplan bench` compares our plan with oneDNN's best layout, layer by layer.
#include "tileplan/bench.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "progress.h"
#include "tileplan/error.h"
#include "tileplan/network.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::vector<std::string> layers;
  std::string peer = "onednn";
  double at_least = 0;
};

constexpr double kGiga = 1e9;
constexpr const char* kTakes =
    "a problem, a model (.onnx), a table of layers (.csv) or a verbose log of oneDNN (.log)";

/// Returns the layers of the positional argument.
std::vector<ListedLayer> layers_of_subject(const std::string& subject) {
  if (is_network(subject)) return layers_of(subject);
  if (std::filesystem::exists(subject)) throw Error("bench: '" + subject + "'; must be " + kTakes);
  const Problem problem = parse_problem(subject);
  require_comparable(problem);
  return {{.name = name_of(problem), .problem = problem}};
}

std::vector<ListedLayer> wanted_layers(const Flags& flags) {
  if (flags.problem.empty() && flags.layers.empty())
    throw Error(std::string("bench: nothing to compare; needs ") + kTakes);
  if (!flags.problem.empty() && !flags.layers.empty())
    throw Error("bench: " + flags.problem + " and --layers " + flags.layers.front() +
                "; must be one of them");
  if (!flags.problem.empty()) return layers_of_subject(flags.problem);
  std::vector<ListedLayer> all;
  for (const std::string& file : flags.layers)
    for (ListedLayer& layer : layers_of(file)) all.push_back(std::move(layer));
  return all;
}

/// A layer, as the network names it, with its comparison.
struct NamedRow {
  std::string name = {};
  BenchRow row = {};
};

/// Returns the ratio that a kernel at the roofline would have, or nothing without a measured peer.
std::optional<double> ceiling_of(const BenchRow& row) {
  if (!row.peer || row.roofline_seconds == 0) return std::nullopt;
  return row.peer->median_seconds / row.roofline_seconds;
}

Json our_document(const BenchRow& row) {
  const bool planned = !row.plan.candidates.empty();
  const Schedule schedule = planned ? row.plan.candidates.front().schedule : Schedule{};
  return {
      {"schedule", planned ? Json(to_string(schedule)) : Json()},
      {"layout", planned ? Json(to_string(schedule.in) + "/" + to_string(schedule.out)) : Json()},
      {"median_s", median_or_null(row.ours)},
      {"kept", row.ours ? row.ours->kept : 0},
      {"samples", row.ours ? row.ours->samples : 0},
      {"share_of_peak",
       row.ours ? Json(row.plan.flops / row.ours->median_seconds / row.peak_flops) : Json()}};
}

Json row_document(const NamedRow& named) {
  const BenchRow& row = named.row;
  Json document{{"name", named.name},
                {"problem", to_string(row.problem)},
                {"gflop", row.plan.flops / kGiga},
                {"ours", our_document(row)},
                {"peer",
                 {{"name", "onednn"},
                  {"version", peer_version()},
                  {"layout", row.peer_layout},
                  {"implementation", row.peer_implementation},
                  {"median_s", median_or_null(row.peer)},
                  {"kept", row.peer ? row.peer->kept : 0}}},
                {"peak_gflops", row.peak_flops / kGiga},
                {"roofline_s", row.roofline_seconds},
                {"ceiling", number_or_null(ceiling_of(row))}};
  add_ratio(document, row.ratio);
  if (!row.ratio) document["reason"] = row.disturbed;
  return document;
}

std::string share_text(const BenchRow& row, const std::optional<Measurement>& measured) {
  constexpr double kPercent = 100;
  if (!measured) return "-";
  return fixed(kPercent * row.plan.flops / measured->median_seconds / row.peak_flops, 1) + "%";
}

constexpr int kTime = 11, kShare = 7, kLayout = 7, kCeiling = 8;

void print_row(const NamedRow& named, int name_width) {
  const BenchRow& row = named.row;
  const std::optional<double> ceiling = ceiling_of(row);
  std::cout << std::left << std::setw(name_width) << named.name << std::right << std::setw(kTime)
            << time_text(row.ours) << std::setw(kShare) << share_text(row, row.ours)
            << std::setw(kTime) << time_text(row.peer) << std::setw(kShare)
            << share_text(row, row.peer) << std::setw(kLayout)
            << (row.peer_layout.empty() ? "-" : row.peer_layout) << std::setw(kCeiling)
            << (ceiling ? fixed(*ceiling, 2) : "-") << "  "
            << (row.ratio ? interval_text(*row.ratio) : "- " + row.disturbed);
  if (!row.plan.candidates.empty())
    std::cout << "  " << to_string(row.plan.candidates.front().schedule);
  std::cout << std::endl;
}

std::optional<double> geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Holds geometric means of the layers that have a ratio.
struct Means {
  std::optional<double> ratio;
  std::optional<double> lowest;    ///< It is the mean of the five lowest ratios.
  std::optional<double> roofline;  ///< It is the mean of the roofline divided by our time.
};

Means means_of(const std::vector<NamedRow>& rows) {
  constexpr std::size_t kLowest = 5;
  std::vector<double> ratios, shares;
  for (const auto& [name, row] : rows) {
    if (!row.ratio) continue;
    ratios.push_back(row.ratio->median);
    shares.push_back(row.roofline_seconds / row.ours->median_seconds);
  }
  const std::optional<double> ratio = geometric_mean(ratios);
  std::ranges::sort(ratios);
  if (ratios.size() > kLowest) ratios.resize(kLowest);
  return {ratio, geometric_mean(ratios), geometric_mean(shares)};
}

/// Returns the row of `problem`, which holds the reason if the layer fails.
BenchRow row_of(const Problem& problem, const Machine& machine, const Options& options,
                const BenchOptions& bench) {
  try {
    return bench_layer(problem, machine, options, bench);
  } catch (const Error& error) {
    return {.problem = problem, .disturbed = error.what(), .failed = true};
  }
}

int name_width(const std::vector<ListedLayer>& layers) {
  std::size_t width = 16;
  for (const ListedLayer& layer : layers) width = std::max(width, layer.name.size());
  return static_cast<int>(width);
}

void print_heading(const Flags& flags, const Machine& machine, int name_width) {
  std::cout << machine.name << ", " << threads_text(flags.threads) << ", "
            << in_words(parse_regime(flags.regime)) << ", f32\n"
            << "ratio = peer time / our time, ceiling = peer time / roofline\n"
            << std::left << std::setw(name_width) << "layer" << std::right << std::setw(kTime)
            << "ours" << std::setw(kShare) << "peak" << std::setw(kTime) << "onednn"
            << std::setw(kShare) << "peak" << std::setw(kLayout) << "layout" << std::setw(kCeiling)
            << "ceiling"
            << "  ratio [95 %]  schedule\n";
}

void print_means(const std::vector<NamedRow>& rows) {
  constexpr double kPercent = 100;
  const Means means = means_of(rows);
  if (means.ratio)
    std::cout << "geometric means: the ratio is " << *means.ratio << ", that of the five lowest "
              << *means.lowest << ", our share of the roofline " << kPercent * *means.roofline
              << " %\n";
  else
    std::cout << "no layer has a ratio\n";
}

void print_document(const Flags& flags, const Machine& machine, const std::vector<NamedRow>& rows) {
  const Means means = means_of(rows);
  Json layers = Json::array();
  for (const NamedRow& row : rows) layers.push_back(row_document(row));
  print_json({{"machine", machine.name},
              {"regime", flags.regime},
              {"threads", flags.threads},
              {"layers", layers},
              {"geomean_ratio", number_or_null(means.ratio)},
              {"geomean_five_lowest", number_or_null(means.lowest)},
              {"geomean_roofline_share", number_or_null(means.roofline)}});
}

/// Returns the rows of `layers` up to a stop, each printed as soon as it is there.
std::vector<NamedRow> measure_rows(const std::vector<ListedLayer>& layers, const Flags& flags,
                                   const Machine& machine, const Options& options) {
  constexpr double kDefaultBudget = 10;
  const BenchOptions bench{.budget_seconds = flags.budget.value_or(kDefaultBudget)};
  const int width = name_width(layers);
  Progress progress("bench");
  std::vector<NamedRow> rows;
  for (const ListedLayer& layer : layers) {
    if (stop_requested()) break;
    progress.show(static_cast<double>(rows.size()) / static_cast<double>(layers.size()),
                  layer.name);
    rows.push_back({layer.name, row_of(layer.problem, machine, options, bench)});
    progress.clear();
    if (!flags.json) print_row(rows.back(), width);
  }
  return rows;
}

/// Returns false when a layer failed or its ratio is too low.
bool bench(const Flags& flags) {
  if (!(flags.at_least >= 0 && std::isfinite(flags.at_least)))
    throw Error("--at-least: " + std::to_string(flags.at_least) +
                "; must be a ratio of times, at least 0");
  const std::vector<ListedLayer> layers = wanted_layers(flags);
  for (const ListedLayer& layer : layers) require_f32(layer.problem);
  const Machine machine = machine_of(flags);
  const Options options = options_of(flags);
  require_threads(flags.threads, machine);
  if (peer_version().empty())
    throw Error("bench: built without oneDNN; needs libdnnl-dev when it is configured");
  print_machine_notes(machine);
  if (!flags.json) print_heading(flags, machine, name_width(layers));
  const std::vector<NamedRow> rows = measure_rows(layers, flags, machine, options);
  flags.json ? print_document(flags, machine, rows) : print_means(rows);
  return std::ranges::none_of(rows, [&](const NamedRow& named) {
    const BenchRow& row = named.row;
    return row.failed || (row.ratio && row.ratio->median < flags.at_least);
  });
}

}  // namespace

void add_bench(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand(
      "bench", "Compare our schedules with the best layout of oneDNN, in pairs.");
  add_problem(*verb, flags->problem,
              "Compare a benchdnn descriptor, a layer name, a matrix product, a model (.onnx), a "
              "table of layers (.csv) or a verbose log of oneDNN (.log).");
  verb->add_option("--layers", flags->layers,
                   "Compare the layers of these models, tables (name,problem) or verbose logs of "
                   "oneDNN.");
  verb->add_option("--peer", flags->peer, "Compare with this library: onednn (the default).");
  verb->add_option("--at-least", flags->at_least, "Exit with 1 when a ratio is below this number.");
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--regime", "--budget", "--json"});
  verb->callback([flags, &status] {
    if (flags->peer != "onednn") throw Error("--peer: '" + flags->peer + "'; must be onednn");
    status = bench(*flags) ? Status::good : Status::no;
  });
}

}  // namespace tileplan
