// SPDX-License-Identifier: Apache-2.0
// `tileplan report` writes a report of one layer or a network as HTML, Markdown, JSON or CSV.
#include "tileplan/report.h"

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "progress.h"
#include "tileplan/bench.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string out, format;
  std::string peer;  ///< It names the library to measure too, and is empty without one.
};

constexpr double kPeerBudget = 10;  // seconds

/// Returns the value of --format, or else what the end of the file's name says, or else html.
ReportFormat format_of(const Flags& flags) {
  if (!flags.format.empty()) return parse_report_format(flags.format);
  if (std::filesystem::path(flags.out).extension().empty()) return ReportFormat::html;
  return report_format_of(flags.out);
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
  return {.version = "tileplan " + version(), .command = command + " -o " + quoted_word(flags.out)};
}

/// Throws Error unless the peer is known and the subject is one layer.
void require_peer(const Flags& flags) {
  if (flags.peer.empty()) return;
  if (!flags.records.empty() || flags.no_records)
    throw Error("--peer with --records or --no-records; measures all, they must be left out");
  if (flags.peer != "onednn") throw Error("--peer: '" + flags.peer + "'; must be onednn");
  if (is_network(flags.problem))
    throw Error("--peer: '" + flags.problem +
                "' is a network; must be one layer (`bench` compares networks)");
  if (peer_version().empty())
    throw Error("--peer: built without oneDNN; needs libdnnl-dev when it is configured");
}

BenchRow measured_row(const Problem& problem, const Machine& machine, const Flags& flags) {
  require_threads(flags.threads, machine);
  BenchRow row = bench_layer(problem, machine, options_of(flags),
                             {.budget_seconds = flags.budget.value_or(kPeerBudget),
                              .verify = flags.verify > 0 ? flags.verify : BenchOptions{}.verify});
  if (row.failed) throw Error("--peer: " + row.disturbed);
  return row;
}

PeerTimes peer_times(const BenchRow& row) {
  return {.name = "oneDNN " + peer_version(),
          .layout = row.peer_layout,
          .implementation = row.peer_implementation,
          .ours = row.ours,
          .peer = row.peer,
          .ratio = row.ratio,
          .disturbed = row.disturbed};
}

/// Returns a function that shows on stderr how much of the work called `what` is done.
std::function<void(int, int)> counter(Progress& progress) {
  return [&progress](int done, int all) {
    progress.show(static_cast<double>(done) / all,
                  "(" + std::to_string(done) + " of " + std::to_string(all) + ")");
  };
}

std::string network_report_text(const Flags& flags, const Machine& machine, ReportFormat format) {
  NetworkOptions options = network_options_of(flags);
  Progress planning("planning layers");
  options.progress = counter(planning);
  const NetworkPlan network = plan_network(flags.problem, machine, options);
  planning.clear();
  std::cout << coverage_text(network, terminal_style());
  Progress changing("planning for changed machines");
  return report(network, format, {.origin = reproduction_of(flags), .progress = counter(changing)});
}

std::string layer_report_text(const Flags& flags, const Machine& machine, ReportFormat format) {
  const Problem problem = parse_problem(flags.problem);
  ReportOptions options{.origin = reproduction_of(flags)};
  Plan found;
  if (flags.peer.empty()) {
    found = plan_with_flags(problem, machine, options_of(flags), flags);
  } else {
    const BenchRow row = measured_row(problem, machine, flags);
    options.peer = peer_times(row);
    found = row.plan;
  }
  Progress changing("planning for changed machines");
  options.progress = counter(changing);
  return report(found, format, options);
}

void write_reported(const Flags& flags) {
  const ReportFormat format = format_of(flags);
  require_peer(flags);
  require_writable(flags.out);
  const Machine machine = machine_of(flags);
  const std::string text = is_network(flags.problem) ? network_report_text(flags, machine, format)
                                                     : layer_report_text(flags, machine, format);
  print_machine_notes(machine);
  write_file(flags.out, text);
  print_written(flags.out);
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
    write_reported(*flags);
  });
}

}  // namespace tileplan
