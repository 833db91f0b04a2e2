// SPDX-License-Identifier: Apache-2.0
// This file measures layers and prints their table. The schedule of a layer is printed below its
// numbers. All numbers are printed below the names of their layers if one line cannot hold numbers
// and the longest name.
#include "bench_rows.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "documents.h"
#include "tileplan/error.h"
#include "tileplan/progress.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

std::string share_text(const BenchRow& row, const std::optional<Measurement>& measured) {
  constexpr double kPercent = 100;
  if (!measured) return "-";
  return fixed(kPercent * row.plan.flops / measured->median_seconds / row.peak_flops, 1) + "%";
}

constexpr int kTime = 10, kShare = 8, kLayout = 7, kCeiling = 8, kInterval = 22;
constexpr int kNumbers = 2 * (kTime + kShare) + kLayout + kCeiling + kInterval;
// Lines below the name of a layer are indented by this many blanks.
constexpr int kBelow = 6;

std::string numbers_of(const BenchRow& row) {
  const std::optional<double> ceiling = ceiling_of(row);
  std::ostringstream text;
  text << std::setw(kTime) << time_text(row.ours) << std::setw(kShare) << share_text(row, row.ours)
       << std::setw(kTime) << time_text(row.peer) << std::setw(kShare) << share_text(row, row.peer)
       << std::setw(kLayout) << (row.peer_kernel.layout.empty() ? "-" : row.peer_kernel.layout)
       << std::setw(kCeiling) << (ceiling ? fixed(*ceiling, 2) : "-") << "  "
       << (row.ratio ? interval_text(*row.ratio) : "-");
  return text.str();
}

class BenchTable {
 public:
  BenchTable(const std::vector<ListedLayer>& layers, const BenchOptions& bench, TextStyle style)
      : style_(style), peer_(bench.peers.size() == 1 ? bench.peers.front() : "best peer") {
    for (const ListedLayer& layer : layers) {
      name_width_ = std::max(name_width_, static_cast<int>(layer.name.size()));
      const std::string types = to_string(types_of(layer.problem));
      types_ = types_.empty() || types_ == types ? types : "several types";
    }
    has_name_line_ = style.width > 0 && name_width_ + kNumbers > style.width;
  }

  void print_heading(const Machine& machine, const Options& options) const {
    std::cout << fitted(
        machine.name + ", " + threads_text(options.threads) + ", " + types_ + ", weights " +
            (options.weights == WeightsChoice::packed ? "packed beforehand"
                                                      : "plain: times include their packing") +
            "\neach layer is measured alone with " + in_words(options.regime) +
            ", not within a network\nratio = peer time / our time, ceiling = peer time / roofline "
            "of direct kernels\n" +
            (options.algorithm == Algorithm::direct ? "" : winograd_peak_text()),
        style_);
    std::ostringstream numbers;
    numbers << std::setw(kTime) << "ours" << std::setw(kShare) << "peak" << std::setw(kTime)
            << peer_.substr(0, peer_.find(':')) << std::setw(kShare) << "peak" << std::setw(kLayout)
            << "layout" << std::setw(kCeiling) << "ceiling"
            << "  ratio [95 %]";
    print("layer", numbers.str(), {});
  }

  void print_row(const NamedRow& named) const {
    const BenchRow& row = named.row;
    Texts below;
    const PeerKernel& peer = row.peer_kernel;
    const std::string implementation = " (" + peer.version + ", " + peer.implementation + ")";
    if (row.plan.options.algorithm != Algorithm::direct && !peer.algorithm.empty())
      below.push_back(peer.library + ' ' + peer.algorithm + implementation);
    if (row.plan.options.weights != WeightsChoice::packed && !peer.weights.empty())
      below.push_back(peer.library + ' ' + peer.weights + " weights" + implementation);
    if (!row.ratio) below.push_back(row.disturbed);
    if (!row.plan.candidates.empty())
      below.push_back(to_string(row.plan.candidates.front().schedule));
    print(named.name, numbers_of(row), below);
  }

 private:
  using Texts = std::vector<std::string>;

  void print(const std::string& name, const std::string& numbers, const Texts& below) const {
    if (has_name_line_)
      std::cout << wrapped(name, style_.width, 0, 0) << std::string(kBelow, ' ') << numbers;
    else
      std::cout << std::left << std::setw(name_width_) << name << std::right << numbers;
    std::cout << '\n';
    for (const std::string& text : below) std::cout << wrapped(text, style_.width, kBelow, kBelow);
    std::cout << std::flush;
  }

  TextStyle style_;
  std::string peer_;   ///< Holds the name of the only other library, or "best peer" for several.
  std::string types_;  ///< Names the types that all layers have, or says that there are several.
  int name_width_ = 16;
  bool has_name_line_ = false;
};

/// Throws Error with the reason if bench_row() caught an Error for `row`. Only comparisons of a
/// single layer call this function, because lists continue with their other layers.
void require_planned(const BenchRow& row) {
  if (row.failed && row.plan.candidates.empty()) throw Error(row.disturbed);
}

}  // namespace

std::optional<double> ceiling_of(const BenchRow& row) {
  const bool is_direct = row.peer_kernel.algorithm != to_string(Algorithm::winograd);
  if (!row.peer || !is_direct || row.roofline_seconds == 0) return std::nullopt;
  return row.peer->median_seconds / row.roofline_seconds;
}

bool exceeds_peak(const BenchRow& row) {
  if (row.plan.options.algorithm != Algorithm::direct) return false;
  const double peak_seconds = row.plan.flops / row.peak_flops;
  return (row.ours && row.ours->median_seconds < peak_seconds) ||
         (row.peer && row.peer->median_seconds < peak_seconds);
}

std::optional<double> roofline_share_of(const BenchRow& row) {
  if (!row.ours || row.plan.candidates.front().schedule.winograd) return std::nullopt;
  return row.roofline_seconds / row.ours->median_seconds;
}

std::vector<NamedRow> measure_rows(const std::vector<ListedLayer>& layers, const Machine& machine,
                                   const Options& options, const BenchOptions& bench,
                                   bool is_shown) {
  const BenchTable table(layers, bench, terminal_style());
  const bool is_list = layers.size() > 1;
  if (is_shown && is_list) table.print_heading(machine, options);
  const auto all = static_cast<double>(layers.size());
  ProgressLine progress("bench", bench.budget_seconds * all);
  std::vector<NamedRow> rows;
  for (const ListedLayer& layer : layers) {
    if (stop_requested()) break;
    progress.show(static_cast<double>(rows.size()) / all, layer.name);
    rows.push_back({layer.name, bench_row(layer.problem, machine, options, bench)});
    progress.clear();
    if (!is_list) require_planned(rows.back().row);
    if (is_shown && !is_list) table.print_heading(machine, options);
    if (is_shown) table.print_row(rows.back());
  }
  return rows;
}

}  // namespace tileplan
