// SPDX-License-Identifier: Apache-2.0
// `tileplan report` writes a report of one layer or a network as HTML, Markdown, JSON or CSV.
#include <boost/algorithm/string/replace.hpp>
#include <filesystem>

#include "bench.h"
#include "documents.h"
#include "flags.h"
#include "layer_page.h"
#include "network.h"
#include "network_page.h"
#include "tileplan/error.h"
#include "version.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string out, format;
  std::string peer;  ///< It names the library to measure too, and is empty without one.
};

constexpr double kPeerBudget = 10;  // seconds

/// Returns the value of --format, or else the extension of the file, or else "html".
std::string format_of(const Flags& flags) {
  const auto is_known = [](const std::string& format) {
    return format == "html" || format == "md" || format == "json" || format == "csv";
  };
  if (!flags.format.empty() && !is_known(flags.format))
    throw Error("--format: '" + flags.format + "'; must be html, md, json or csv");
  if (!flags.format.empty()) return flags.format;
  const std::string extension = std::filesystem::path(flags.out).extension();
  if (extension.empty()) return "html";
  if (!is_known(extension.substr(1)))
    throw Error("-o: '" + flags.out +
                "'; must end in .html, .md, .json or .csv, or --format must be given");
  return extension.substr(1);
}

/// Returns `text` as one word of a shell command.
std::string quoted_word(const std::string& text) {
  return "'" + boost::replace_all_copy(text, "'", "'\\''") + "'";
}

Reproduction reproduction_of(const Flags& flags) {
  std::string command = "tileplan report " + quoted_word(flags.problem) + " --machine " +
                        quoted_word(flags.machine) + " --threads " + std::to_string(flags.threads) +
                        " --layout " + flags.layout + " --top " + std::to_string(flags.top);
  for (const std::string& each : flags.shapes) command += " --shape " + quoted_word(each);
  if (flags.verify > 0)
    command += " --verify " + std::to_string(flags.verify) + " --regime " + flags.regime;
  if (!flags.peer.empty()) command += " --peer " + flags.peer + " --regime " + flags.regime;
  return {.version = "tileplan " + version_and_commit(),
          .command = command + " -o " + quoted_word(flags.out)};
}

Json sensitivity_json(const std::vector<Sensitivity>& changes) {
  Json rows = Json::array();
  for (const Sensitivity& each : changes)
    rows.push_back({{"change", each.change},
                    {"predicted_s", each.seconds},
                    {"bottleneck", each.bottleneck.empty() ? Json() : Json(each.bottleneck)}});
  return rows;
}

Json peer_json(const std::optional<PeerTimes>& peer) {
  if (!peer) return nullptr;
  Json document{{"name", peer->name},
                {"layout", peer->layout},
                {"implementation", peer->implementation},
                {"ours_s", median_or_null(peer->ours)},
                {"peer_s", median_or_null(peer->peer)}};
  add_ratio(document, peer->ratio);
  document["disturbed"] = peer->disturbed;
  return document;
}

Json layer_json(const LayerReport& report) {
  Json document = plan_document(report.plan);
  document["name"] = name_of(report.plan.problem);
  document["seconds"] = seconds_of(report);
  document["share_of_peak"] = share_of_peak(report);
  document["share_of_roofline"] = share_of_roofline(report);
  document["compulsory_bytes"] = compulsory_bytes(report);
  const Computation& computation = report.explanation.computation;
  Json levels = Json::array();
  for (std::size_t i = 0; i < report.explanation.levels.size(); ++i) {
    const LevelExplanation& level = report.explanation.levels[i];
    levels.push_back({{"name", report.explanation.machine.caches[i].name},
                      {"footprints", per_tensor(computation, level.footprints)},
                      {"capacity", level.capacity},
                      {"moved_bytes", per_tensor(computation, level.moved_bytes)},
                      {"moved_bytes_sum", level.all_moved_bytes()},
                      {"bound_bytes", level.bound_bytes},
                      {"distance", level.distance()}});
  }
  document["levels"] = levels;
  document["sensitivity"] = sensitivity_json(report.sensitivity);
  document["peer"] = peer_json(report.peer);
  return document;
}

Json network_json(const Network& network) {
  const NetworkTotals totals = totals_of(network);
  Json layers = Json::array();
  for (const NetworkLayer& each : network.layers) {
    Json layer = layer_json(each.report);
    layer["name"] = each.name;
    layer["executions"] = each.count;
    layers.push_back(layer);
  }
  return {{"name", network.name},
          {"seconds", totals.seconds},
          {"bytes", totals.bytes},
          {"flops", totals.flops},
          {"share_of_peak", totals.share_of_peak},
          {"sensitivity", sensitivity_json(totals.sensitivity)},
          {"layers", layers},
          {"unplanned", unplanned_json(network.unplanned)}};
}

Network network_of(const Flags& flags, const Machine& machine) {
  if (is_model(flags.problem)) return network_of(flags.problem, plan_layers(flags, machine));
  std::vector<PlannedLayer> layers;
  for (const WorkloadLayer& layer : layers_of(flags.problem))
    layers.push_back({name_of(layer.problem),
                      plan_with_records(layer.problem, machine, options_of(flags), flags),
                      layer.count});
  return network_of(flags.problem, layers);
}

/// Returns the report of the plan that was measured in pairs with the peer.
LayerReport measured_report(const Problem& problem, const Machine& machine, const Flags& flags) {
  if (onednn_version().empty())
    throw Error("--peer: built without oneDNN; needs libdnnl-dev when it is configured");
  require_threads(flags.threads, machine);
  std::optional<PinnedThread> pinned;
  if (flags.threads == 1) pinned.emplace();
  const BenchRow row =
      bench_layer(problem, machine, options_of(flags),
                  {.budget_seconds = flags.budget.value_or(kPeerBudget),
                   .verify = flags.verify > 0 ? flags.verify : BenchOptions{}.verify});
  if (row.failed) throw Error("--peer: " + row.disturbed);
  LayerReport report = layer_report(row.plan);
  report.peer = PeerTimes{"oneDNN " + onednn_version(),
                          row.peer_layout,
                          row.peer_implementation,
                          row.ours,
                          row.peer,
                          row.ratio,
                          row.disturbed};
  return report;
}

/// Throws Error unless the peer is known and the subject is one layer.
void require_peer(const Flags& flags) {
  if (flags.peer.empty()) return;
  if (!flags.records.empty() || flags.no_records)
    throw Error("--peer with --records or --no-records; measures all, they must be left out");
  if (flags.peer != "onednn") throw Error("--peer: '" + flags.peer + "'; must be onednn");
  if (is_layer_file(flags.problem) || is_model(flags.problem))
    throw Error("--peer: '" + flags.problem +
                "' is a network; must be one layer (`bench --layers` compares networks)");
}

std::string report_text(const Flags& flags, const Machine& machine) {
  const std::string format = format_of(flags);
  require_peer(flags);
  require_file_place(flags.out);
  const auto page = format == "md" ? to_markdown : to_html;
  if (is_layer_file(flags.problem) || is_model(flags.problem)) {
    const Network network = network_of(flags, machine);
    if (format == "csv") return network_csv(network);
    if (format == "json") return network_json(network).dump(2) + '\n';
    return page(network_document(network, reproduction_of(flags)));
  }
  const Problem problem = parse_problem(flags.problem);
  const LayerReport report =
      flags.peer.empty()
          ? layer_report(plan_with_records(problem, machine, options_of(flags), flags))
          : measured_report(problem, machine, flags);
  if (format == "csv") return layer_csv(report);
  if (format == "json") return layer_json(report).dump(2) + '\n';
  return page(layer_document(report, reproduction_of(flags)));
}

}  // namespace

void add_report(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand(
      "report", "Report where the bytes and the time of a layer or a network go.");
  add_problem(*verb, flags->problem,
              "The subject is a problem as for plan, LAYERS.csv, a verbose log oneDNN.log or "
              "MODEL.onnx.")
      ->required();
  verb->add_option("-o,--out", flags->out, "Write the report to this file.")->required();
  verb->add_option("--format", flags->format,
                   "Write html, md, json or csv (default: as the file name ends).");
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--top", "--verify", "--budget", "--regime",
             "--records", "--no-records", "--shape"});
  verb->add_option("--peer", flags->peer,
                   "Measure this library and the plan in pairs: onednn (default: none).");
  verb->callback([flags] {
    require_no_shapes(*flags);
    if (flags->peer.empty()) require_used_measuring(*flags);
    const Machine machine = machine_of(*flags);
    const std::string text = report_text(*flags, machine);
    print_machine_notes(machine);
    write_file(flags->out, text);
  });
}

}  // namespace tileplan
