// SPDX-License-Identifier: Apache-2.0
// report() describes the plan of a layer or of a network as HTML, Markdown, JSON or CSV, and
// write_report() writes this text to a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/compare.h"
#include "tileplan/network.h"
#include "tileplan/network_run.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

enum class ReportFormat { html, md, json, csv };

/// Returns the format that `text` names. Throws Error with the known names.
ReportFormat parse_report_format(const std::string& text);

/// Returns the format of the file name extension of `path`, such as html for "page.html". Throws
/// Error, which lists the known extensions, for any other extension.
ReportFormat report_format_of(const std::string& path);

/// Holds texts that the report shows so that a reader can reproduce it.
struct Reproduction {
  std::string version = {};
  std::string command = {};
};

/// Holds times of another library, measured in adjacent pairs with the first schedule of a plan.
struct PeerTimes {
  std::string name = {};  ///< Names the library and its version, such as "oneDNN 2.6.3".
  std::string layout = {}, implementation = {};
  std::optional<Measurement> ours = {}, peer = {};
  std::optional<MedianInterval> ratio = {};  ///< Holds the library's time divided by ours.
  std::string disturbed = {};                ///< Gives the reason why `ratio` is missing.
};

struct ReportOptions {
  Reproduction origin = {};
  /// Holds the comparison with another library: one entry for a plan, one per layer of a network in
  /// its order, or none when nothing was compared.
  std::vector<PeerTimes> peers = {};
  /// Holds the measured times of the network, or nothing when it was not measured.
  std::optional<NetworkTimes> times = {};
  /// If not empty, one thread at a time calls this function with the number of finished plans, or
  /// of finished layers of a network, and with the number of all.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Return the report of a plan or of a network as text. HTML pages need no other file. A report
/// also holds plans for changed machines, so it takes several times as long as planning. Throw
/// Error where plan() does, when there are peers but not one per plan, and when there are times but
/// not one per step.
std::string report(const Plan& plan, ReportFormat format, const ReportOptions& options = {});
std::string report(const NetworkPlan& network, ReportFormat format,
                   const ReportOptions& options = {});

/// Write the text of report() to `path`, replacing the file atomically. The file name extension
/// determines the format: .html, .md, .json or .csv. Throw Error for any other extension, and where
/// report() and write_file() do.
void write_report(const Plan& plan, const std::string& path, const ReportOptions& options = {});
void write_report(const NetworkPlan& network, const std::string& path,
                  const ReportOptions& options = {});

}  // namespace tileplan
