// SPDX-License-Identifier: Apache-2.0
// `tileplan bench` compares our plan with the fastest kernel of other libraries, layer by layer.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>

#include "bench_rows.h"
#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/network.h"
#include "tileplan/verify.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

struct BenchFlags : PlanFlags {
  ProblemFlags problems;
  std::vector<std::string> peers = {"onednn"};
  double at_least = 0;
};

constexpr const char* kTakes =
    "a problem, a model (.onnx), a table of layers (.csv) or a verbose log of oneDNN (.log)";

/// Returns the layers of a table, a model or a log, each with the flags of benchdnn that precede
/// all problems.
std::vector<ListedLayer> layers_of_file(const std::string& file, const BenchFlags& flags) {
  std::vector<ListedLayer> layers = layers_of(file, parse_shapes(flags.shapes));
  if (flags.problems.before.empty()) return layers;
  for (ListedLayer& layer : layers)
    layer.problem = parse_problem(flags.problems.before + to_string(layer.problem));
  return layers;
}

/// Returns one layer for a problem, or all layers of a model, a table or a log.
std::vector<ListedLayer> layers_of_subject(const std::string& subject, const BenchFlags& flags) {
  if (is_network(subject)) return layers_of_file(subject, flags);
  if (std::filesystem::exists(subject)) throw Error("bench: '" + subject + "'; must be " + kTakes);
  const Problem problem = parse_problem(flags.problems.before + subject);
  require_comparable(problem);
  return {{.name = name_of(problem), .problem = problem}};
}

std::vector<ListedLayer> wanted_layers(const BenchFlags& flags) {
  const auto& [subjects, files, before] = flags.problems;
  if (subjects.empty() && files.empty())
    throw Error(std::string("bench: nothing to compare; needs ") + kTakes);
  std::vector<std::string> given = subjects;
  given.insert(given.end(), files.begin(), files.end());
  require_no_shapes(flags, given);
  std::vector<ListedLayer> all;
  for (const std::string& subject : subjects)
    std::ranges::move(layers_of_subject(subject, flags), std::back_inserter(all));
  for (const std::string& file : files)
    std::ranges::move(layers_of_file(file, flags), std::back_inserter(all));
  return all;
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
                 {{"name", row.peer_kernel.library},
                  {"version", row.peer_kernel.version},
                  {"layout", row.peer_kernel.layout},
                  {"implementation", row.peer_kernel.implementation},
                  {"median_s", median_or_null(row.peer)},
                  {"kept", row.peer ? row.peer->kept : 0}}},
                {"peak_gflops", row.peak_flops / kGiga},
                {"roofline_s", row.roofline_seconds},
                {"ceiling", number_or_null(ceiling_of(row))}};
  add_ratio(document, row.ratio);
  if (!row.ratio) document["reason"] = row.disturbed;
  if (row.plan.options.weights != WeightsChoice::packed)
    document["peer"]["weights"] = row.peer_kernel.weights;
  if (row.plan.options.algorithm != Algorithm::direct)
    document["peer"]["algorithm"] = row.peer_kernel.algorithm;
  return document;
}

std::optional<double> geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Holds geometric means over layers whose ratio was measured. A mean over no layers is missing.
struct Means {
  std::size_t layers = 0;  ///< Counts the layers with a ratio.
  std::optional<double> ratio;
  std::optional<double> lowest;  ///< Holds the mean of the five lowest ratios, or of fewer.
  /// Holds the mean of roofline_share_of() over the layers that have one.
  std::optional<double> roofline;
};

Means means_of(const std::vector<NamedRow>& rows) {
  constexpr std::size_t kLowest = 5;
  std::vector<double> ratios, shares;
  for (const auto& [name, row] : rows) {
    if (!row.ratio) continue;
    ratios.push_back(row.ratio->median);
    if (const std::optional<double> share = roofline_share_of(row)) shares.push_back(*share);
  }
  Means means{.layers = ratios.size(),
              .ratio = geometric_mean(ratios),
              .lowest = {},
              .roofline = geometric_mean(shares)};
  std::ranges::sort(ratios);
  if (ratios.size() > kLowest) ratios.resize(kLowest);
  means.lowest = geometric_mean(ratios);
  return means;
}

void print_means(const std::vector<NamedRow>& rows) {
  constexpr double kPercent = 100;
  const Means means = means_of(rows);
  std::ostringstream text;
  if (means.ratio) {
    text << "geometric means over " << means.layers << " of " << rows.size()
         << " layers: the ratio is " << fixed(*means.ratio, 3) << ", that of the five lowest "
         << fixed(*means.lowest, 3);
    if (means.roofline)
      text << ", the share of the roofline of our direct kernels "
           << fixed(kPercent * *means.roofline, 1) << " %";
    text << '\n';
  } else {
    text << "no layer has a ratio\n";
  }
  const auto above =
      std::ranges::find_if(rows, [](const NamedRow& named) { return exceeds_peak(named.row); });
  if (above != rows.end()) text << above_peak_text(above->row.problem);
  std::cout << fitted(text.str(), terminal_style());
}

Json peers_document(const std::vector<Peer>& peers) {
  Json all = Json::array();
  for (const Peer& peer : peers) {
    all.push_back({{"name", peer.name}, {"version", peer.version}});
    if (peer.share_of_peak > 0) all.back()["share_of_peak"] = peer.share_of_peak;
    if (!peer.left_out.empty()) all.back()["left_out"] = peer.left_out;
  }
  return all;
}

void print_document(const BenchFlags& flags, const Machine& machine, const std::vector<Peer>& peers,
                    const std::vector<NamedRow>& rows) {
  const Means means = means_of(rows);
  Json layers = Json::array();
  for (const NamedRow& row : rows) layers.push_back(row_document(row));
  print_json({{"machine", machine.name},
              {"version", version()},
              {"algorithm", flags.algorithm},
              {"regime", regime_text(flags)},
              {"weights", flags.weights},
              {"threads", flags.threads},
              {"peers", peers_document(peers)},
              {"layers", layers},
              {"geomean_ratio", number_or_null(means.ratio)},
              {"geomean_five_lowest", number_or_null(means.lowest)},
              {"geomean_roofline_share", number_or_null(means.roofline)}});
}

/// Prints why libraries are left out, and which share of the peak the remaining BLAS libraries
/// reach. Throws Error when no library remains.
void print_peers(const std::vector<Peer>& peers) {
  std::string reasons;
  bool some = false;
  for (const Peer& peer : peers) {
    if (!peer.left_out.empty()) reasons += (reasons.empty() ? "" : "; ") + peer.left_out;
    some = some || peer.left_out.empty();
  }
  if (!some) throw Error("bench: " + reasons);
  constexpr double kPercent = 100;
  for (const Peer& peer : peers) {
    if (!peer.left_out.empty())
      print_note("left out: " + peer.left_out);
    else if (peer.share_of_peak > 0)
      print_note(peer.name + ' ' + peer.version + " reaches " +
                 fixed(kPercent * peer.share_of_peak, 0) + " % of peak in m512n512k512");
  }
}

std::vector<std::string> names_of(const std::vector<Peer>& peers) {
  std::vector<std::string> names;
  for (const Peer& peer : peers)
    if (peer.left_out.empty()) names.push_back(peer.name);
  return names;
}

/// Warns when some of `layers` have inputs of bytes and a library adds their products in 16 bits
/// that saturate, so that its outputs may differ from ours.
void print_saturation(const std::vector<ListedLayer>& layers, const std::vector<Peer>& peers) {
  const bool has_bytes = std::ranges::any_of(layers, [](const ListedLayer& layer) {
    return bytes_of(types_of(layer.problem).input) == 1;
  });
  for (const Peer& peer : peers)
    if (has_bytes && peer.left_out.empty() && peer.saturates_bytes)
      print_note(peer.name +
                 " adds products of bytes in pairs that saturate at 16 bits on this CPU, so that "
                 "its outputs differ from ours and are not compared");
}

/// Returns false when a layer failed or when the ratio of a layer is below --at-least.
bool bench(const BenchFlags& flags) {
  if (!(flags.at_least >= 0 && std::isfinite(flags.at_least)))
    throw Error("--at-least: " + std::to_string(flags.at_least) +
                "; must be a ratio of times, at least 0");
  const std::vector<ListedLayer> layers = wanted_layers(flags);
  for (const ListedLayer& layer : layers) require_peer_types(layer.problem);
  const Machine machine = machine_of(flags);
  const Options options = options_of(flags);
  require_threads(flags.threads, machine);
  const std::vector<Peer> peers = find_peers(flags.peers, machine);
  print_machine_notes(machine);
  print_peers(peers);
  print_saturation(layers, peers);
  constexpr double kDefaultBudget = 10;
  const std::vector<NamedRow> rows = measure_rows(
      layers, machine, options,
      {.budget_seconds = flags.budget.value_or(kDefaultBudget), .peers = names_of(peers)},
      !flags.json);
  flags.json ? print_document(flags, machine, peers, rows) : print_means(rows);
  return std::ranges::none_of(rows, [&](const NamedRow& named) {
    const BenchRow& row = named.row;
    return row.failed || (row.ratio && row.ratio->median < flags.at_least);
  });
}

}  // namespace

void add_bench(CLI::App& app, Status& status) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* verb = app.add_subcommand(
      "bench", "Compare our schedules with the fastest kernel of other libraries, in pairs.");
  add_problems(*verb, flags->problems,
               "Compare these in turn: each is a benchdnn descriptor "
               "(mb1ic64ih56oc64oh56kh3ph1), a layer name, a matrix product, a model (.onnx), a "
               "table of layers (.csv) or a verbose log of oneDNN (.log).");
  verb->add_option("--layers", flags->problems.files,
                   "Compare the layers of this model, table (name,problem) or verbose log of "
                   "oneDNN; may be repeated.")
      ->allow_extra_args(false);
  verb->add_option("--peer", flags->peers,
                   "Compare with the fastest of these libraries, separated by commas: onednn (the "
                   "default) and, for products with --weights plain, openblas, blis, mkl:FILE with "
                   "the path of libmkl_rt.so, or best, which is the first three.")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option(
      "--at-least", flags->at_least,
      "Exit with 1 when a ratio is below this number; layers without a ratio do not count.");
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--weights", "--regime", "--algorithm",
             "--max-error", "--epilogue", "--budget", "--shape", "--json"});
  verb->get_option("--regime")
      ->description(
          "Measure each layer alone in this cache state: hot, cold-weights, all-cold, or "
          "network:BYTES, which reads so many other bytes between runs (default: hot).");
  verb->get_option("--budget")
      ->description("Plan and measure each layer in this many seconds (default: 10).");
  verb->callback([flags, &status] { status = bench(*flags) ? Status::good : Status::no; });
}

}  // namespace tileplan
