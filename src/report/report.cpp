// SPDX-License-Identifier: Apache-2.0
// This file makes reports of plans and networks in the requested format, and writes them to files.
#include "tileplan/report.h"

#include <filesystem>
#include <functional>

#include "check.h"
#include "layer_page.h"
#include "names.h"
#include "network_page.h"
#include "report_files.h"
#include "tileplan/error.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

constexpr Names<ReportFormat, 4> kFormats{{{ReportFormat::html, "html"},
                                           {ReportFormat::md, "md"},
                                           {ReportFormat::json, "json"},
                                           {ReportFormat::csv, "csv"}}};

void require_peers(const ReportOptions& options, std::size_t plans) {
  if (!options.peers.empty() && options.peers.size() != plans)
    throw Error("report: " + std::to_string(options.peers.size()) + " peers for " +
                std::to_string(plans) + " plans; must be one for each, or none");
}

void require_times(const ReportOptions& options, const NetworkPlan& network) {
  if (options.times && options.times->step_seconds.size() != network.steps.size())
    throw Error("report: times of " + std::to_string(options.times->step_seconds.size()) +
                " steps for " + std::to_string(network.steps.size()) +
                "; must be one for each, or none");
}

/// Holds the functions that make a report in JSON, in CSV, and as a document for HTML or Markdown.
struct Writers {
  std::function<std::string()> json, csv;
  std::function<Document()> document;
};

std::string written(ReportFormat format, const Writers& writers) {
  switch (format) {
    case ReportFormat::json:
      return writers.json();
    case ReportFormat::csv:
      return writers.csv();
    case ReportFormat::html:
      return to_html(writers.document());
    case ReportFormat::md:
      return to_markdown(writers.document());
  }
  TILEPLAN_CHECK(false, "a format of reports without a writer");
}

}  // namespace

ReportFormat parse_report_format(const std::string& text) {
  return parse_name(kFormats, "format", text);
}

ReportFormat report_format_of(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension();
  const auto format = find_in(kFormats, end.empty() ? end : end.substr(1));
  if (!format) throw Error("'" + path + "'; must end in .html, .md, .json or .csv");
  return *format;
}

std::string report(const Plan& plan, ReportFormat format, const ReportOptions& options) {
  require_peers(options, 1);
  LayerReport found = layer_report(plan, options.progress);
  if (!options.peers.empty()) found.peer = options.peers.front();
  return written(format, {.json = [&] { return layer_json(found); },
                          .csv = [&] { return layer_csv(found); },
                          .document = [&] { return layer_document(found, options.origin); }});
}

std::string report(const NetworkPlan& network, ReportFormat format, const ReportOptions& options) {
  require_peers(options, network.layers.size());
  require_times(options, network);
  NetworkReport found = network_report(network, options.progress);
  for (std::size_t i = 0; i < options.peers.size(); ++i) found.layers[i].peer = options.peers[i];
  found.times = options.times;
  return written(format, {.json = [&] { return network_json(found); },
                          .csv = [&] { return network_csv(found); },
                          .document = [&] { return network_document(found, options.origin); }});
}

void write_report(const Plan& plan, const std::string& path, const ReportOptions& options) {
  const ReportFormat format = report_format_of(path);
  require_writable(path);
  write_file(path, report(plan, format, options));
}

void write_report(const NetworkPlan& network, const std::string& path,
                  const ReportOptions& options) {
  const ReportFormat format = report_format_of(path);
  require_writable(path);
  write_file(path, report(network, format, options));
}

}  // namespace tileplan
