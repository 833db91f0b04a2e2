// SPDX-License-Identifier: Apache-2.0
// `tileplan report` writes a report of one layer or a network as HTML, Markdown, JSON or CSV.
#include "tileplan/report.h"

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <iostream>

#include "bench_rows.h"
#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/progress.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

struct ReportFlags : PlanFlags {
  std::string out, format;
  std::string peer;  ///< Names the library to compare with. If it is empty, nothing is compared.
  bool measure = false;
};

constexpr double kPeerBudget = 10;  // Limits the measurements of one layer, in seconds.

/// Returns the format that --format names, else the format of the file name extension, else html if
/// there is no extension. Throws Error for an unknown name or extension.
ReportFormat format_of(const ReportFlags& flags) {
  if (!flags.format.empty()) return parse_report_format(flags.format);
  if (std::filesystem::path(flags.out).extension().empty()) return ReportFormat::html;
  return report_format_of(flags.out);
}

/// Returns `text` quoted as one word of a shell command.
std::string quoted_word(const std::string& text) {
  return "'" + boost::replace_all_copy(text, "'", "'\\''") + "'";
}

/// Returns the command with all flags that change what the report says.
Reproduction reproduction_of(const ReportFlags& flags) {
  std::string command = "tileplan report " + quoted_word(flags.problem) + " --machine " +
                        quoted_word(flags.machine) + " --threads " + std::to_string(flags.threads) +
                        " --layout " + flags.layout +
                        (flags.weights == "packed" ? "" : " --weights " + flags.weights) +
                        " --top " + std::to_string(flags.top);
  if (flags.algorithm != "direct") command += " --algorithm " + flags.algorithm;
  if (flags.measure) command += " --measure";
  for (const std::string& each : flags.shapes) command += " --shape " + quoted_word(each);
  if (flags.max_error) command += " --max-error " + Json(*flags.max_error).dump();
  if (!flags.regime.empty()) command += " --regime " + quoted_word(flags.regime);
  if (flags.verify > 0) command += " --verify " + std::to_string(flags.verify);
  if (flags.budget) command += " --budget " + Json(*flags.budget).dump();
  if (!flags.records.empty()) command += " --records " + quoted_word(flags.records);
  if (flags.no_records) command += " --no-records";
  if (!flags.peer.empty()) command += " --peer " + flags.peer;
  if (!flags.format.empty()) command += " --format " + flags.format;
  return {.version = "tileplan " + version(), .command = command + " -o " + quoted_word(flags.out)};
}

/// Throws Error when --peer names a library that this build cannot measure, or is given together
/// with flags about records.
void require_peer(const ReportFlags& flags) {
  if (flags.peer.empty()) return;
  if (!flags.records.empty() || flags.no_records)
    throw Error("--peer with --records or --no-records; measures all, they must be left out");
  if (flags.peer != "onednn") throw Error("--peer: '" + flags.peer + "'; must be onednn");
  if (peer_version().empty())
    throw Error("--peer: built without oneDNN; needs libdnnl-dev when it is configured");
}

PeerTimes peer_times(const BenchRow& row) {
  return {.name = "oneDNN " + peer_version(),
          .layout = row.peer_kernel.layout,
          .implementation = row.peer_kernel.implementation,
          .ours = row.ours,
          .peer = row.peer,
          .ratio = row.ratio,
          .disturbed = row.disturbed};
}

/// Measures each layer of `network` and the same layer in oneDNN. Replaces the plan of a layer by
/// the plan whose kernel was measured, unless the comparison failed. The layers of a model keep
/// their plans, which its steps run.
std::vector<PeerTimes> measure_peers(const ReportFlags& flags, const Machine& machine,
                                     NetworkPlan& network) {
  std::vector<NetworkLayer>& layers = network.layers;
  require_threads(flags.threads, machine);
  std::vector<ListedLayer> listed;
  listed.reserve(layers.size());
  for (const NetworkLayer& layer : layers)
    listed.push_back({.name = layer.name, .problem = layer.plan.problem});
  const std::vector<NamedRow> rows =
      measure_rows(listed, machine, options_of(flags),
                   {.budget_seconds = flags.budget.value_or(kPeerBudget),
                    .verify = flags.verify > 0 ? flags.verify : BenchOptions{}.verify},
                   true);
  std::vector<PeerTimes> peers(
      layers.size(), {.name = "oneDNN " + peer_version(), .disturbed = "not measured: stopped"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = rows[i].row;
    if (!row.failed && network.steps.empty()) layers[i].plan = row.plan;
    peers[i] = peer_times(row);
  }
  return peers;
}

/// Throws Error when --measure is given for anything but a model, or for another machine.
void require_measurable(const ReportFlags& flags, const Machine& machine) {
  if (!flags.measure) return;
  if (!is_model(flags.problem))
    throw Error("--measure without a model (.onnx), which could be run; must be left out");
  require_host(machine, "--measure");
}

std::string network_report_text(const ReportFlags& flags, const Machine& machine,
                                ReportFormat format) {
  require_measurable(flags, machine);
  NetworkOptions options = network_options_of(flags);
  options.second_best = true;
  // The comparison with the other library measures all layers itself, so planning measures none.
  if (!flags.peer.empty()) {
    options.plan.verify = 0;
    options.use_records = false;
  }
  ProgressLine planning("planning layers");
  options.progress = planning.counter();
  NetworkPlan network = plan_network(flags.problem, machine, options);
  planning.clear();
  std::cout << coverage_text(network, terminal_style());
  ReportOptions reported{.origin = reproduction_of(flags)};
  if (flags.measure)
    reported.times = measure_steps(compile(network), flags.budget.value_or(kRunBudget));
  if (!flags.peer.empty()) reported.peers = measure_peers(flags, machine, network);
  ProgressLine changing("planning for changed machines");
  reported.progress = changing.counter();
  return report(network, format, reported);
}

/// Returns the plan of `problem` after the comparison with the other library, whose times are added
/// to `reported`.
Plan plan_with_peer(const Problem& problem, const Machine& machine, const ReportFlags& flags,
                    ReportOptions& reported) {
  NetworkPlan one{.layers = {{.name = name_of(problem), .plan = {.problem = problem}}}};
  reported.peers = measure_peers(flags, machine, one);
  Plan& found = one.layers.front().plan;
  if (found.candidates.empty()) throw Error("--peer: " + reported.peers.front().disturbed);
  return std::move(found);
}

std::string layer_report_text(const ReportFlags& flags, const Machine& machine,
                              ReportFormat format) {
  const Problem problem = parse_problem(flags.problem);
  ReportOptions reported{.origin = reproduction_of(flags)};
  const Plan found = flags.peer.empty()
                         ? plan_with_flags(problem, machine, options_of(flags), flags)
                         : plan_with_peer(problem, machine, flags, reported);
  ProgressLine changing("planning for changed machines");
  reported.progress = changing.counter();
  return report(found, format, reported);
}

void write_reported(const ReportFlags& flags) {
  const ReportFormat format = format_of(flags);
  require_peer(flags);
  require_writable(flags.out, {flags.problem, flags.machine, flags.records});
  const Machine machine = machine_of(flags);
  const std::string text = is_network(flags.problem) ? network_report_text(flags, machine, format)
                                                     : layer_report_text(flags, machine, format);
  print_machine_notes(machine);
  write_file(flags.out, text);
  print_written(flags.out);
}

}  // namespace

void add_report(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* verb = app.add_subcommand(
      "report", "Report where the bytes and the time of a layer or a network go.");
  add_problem(*verb, flags->problem,
              "The subject is a problem as for plan, LAYERS.csv, a verbose log oneDNN.log or "
              "MODEL.onnx.")
      ->required();
  verb->add_option("-o,--out", flags->out,
                   "Write the report to this file. The ending .html, .md, .json or .csv is its "
                   "format, and a name without an ending is written as html.")
      ->required();
  verb->add_option("--format", flags->format,
                   "Write html, md, json or csv, however the name of the file ends.");
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--weights", "--top", "--verify", "--budget",
             "--regime", "--algorithm", "--max-error", "--records", "--no-records", "--shape"});
  describe_regime_of_models(*verb);
  verb->get_option("--budget")
      ->description(
          "Measure each layer for this many seconds (default: 3; with --peer 10), or "
          "all runs of --measure (default: 2).");
  verb->add_option("--peer", flags->peer,
                   "Measure this library and the plan of each layer alone, in pairs, with hot "
                   "caches unless --regime is given: onednn (default: none).");
  verb->add_flag("--measure", flags->measure,
                 "Run the model on this machine and measure each step in place.");
  verb->callback([flags] {
    require_no_shapes(*flags, {flags->problem});
    if (flags->measure && !is_network(flags->problem))
      throw Error("--measure without a model (.onnx), which could be run; must be left out");
    if (flags->peer.empty() && !flags->measure) require_used_measuring(*flags);
    write_reported(*flags);
  });
}

}  // namespace tileplan
