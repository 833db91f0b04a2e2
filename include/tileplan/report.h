// SPDX-License-Identifier: Apache-2.0
// write_report() writes pages about a layer or a network.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tileplan/compare.h"
#include "tileplan/network.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

enum class ReportFormat { html, md, json, csv };

/// Returns the format that `text` names. Throws Error with the known names.
ReportFormat parse_report_format(const std::string& text);

/// Returns the format that the end of `path` names, such as html for "page.html". Throws Error with
/// the known ends.
ReportFormat report_format_of(const std::string& path);

/// The program and the command that make the same report again; the page shows them.
struct Reproduction {
  std::string version = {};
  std::string command = {};
};

/// Another library was measured in adjacent pairs with the first schedule of a plan.
struct PeerTimes {
  std::string name = {};  ///< "oneDNN 2.6.3"
  std::string layout = {}, implementation = {};
  std::optional<Measurement> ours = {}, peer = {};
  std::optional<MedianInterval> ratio = {};  ///< the peer's time divided by ours
  std::string disturbed = {};                ///< why there is no ratio
};

struct ReportOptions {
  Reproduction origin = {};
  std::optional<PeerTimes> peer = {};  ///< of a plan; reports of networks leave it out
  /// Called with the plans that are done and their number, by one thread at a time. An empty
  /// function is not called.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Return the report of a plan or of a network as text. HTML pages need no other file. Plans for
/// changed machines are part of the report, so that it takes several times as long as planning.
/// Throw Error where plan() does.
std::string report(const Plan& plan, ReportFormat format, const ReportOptions& options = {});
std::string report(const NetworkPlan& network, ReportFormat format,
                   const ReportOptions& options = {});

/// Write such a report to `path`, which is replaced as a whole. The end of the name gives the
/// format: .html, .md, .json or .csv. Throw Error.
void write_report(const Plan& plan, const std::string& path, const ReportOptions& options = {});
void write_report(const NetworkPlan& network, const std::string& path,
                  const ReportOptions& options = {});

}  // namespace tileplan
