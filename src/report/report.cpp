// SPDX-License-Identifier: Apache-2.0
// This file turns plans into reports in the format that was asked for.
#include "tileplan/report.h"

#include <filesystem>

#include "check.h"
#include "layer_page.h"
#include "names.h"
#include "network_page.h"
#include "report_files.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

constexpr Names<ReportFormat, 4> kFormats{{{ReportFormat::html, "html"},
                                           {ReportFormat::md, "md"},
                                           {ReportFormat::json, "json"},
                                           {ReportFormat::csv, "csv"}}};

std::string page_of(const Document& document, ReportFormat format) {
  return format == ReportFormat::md ? to_markdown(document) : to_html(document);
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
  LayerReport found = layer_report(plan, options.progress);
  found.peer = options.peer;
  switch (format) {
    case ReportFormat::json:
      return layer_json(found);
    case ReportFormat::csv:
      return layer_csv(found);
    case ReportFormat::html:
    case ReportFormat::md:
      return page_of(layer_document(found, options.origin), format);
  }
  TILEPLAN_CHECK(false, "a format of reports without a writer");
}

std::string report(const NetworkPlan& network, ReportFormat format, const ReportOptions& options) {
  const NetworkReport found = network_report(network, options.progress);
  switch (format) {
    case ReportFormat::json:
      return network_json(found);
    case ReportFormat::csv:
      return network_csv(found);
    case ReportFormat::html:
    case ReportFormat::md:
      return page_of(network_document(found, options.origin), format);
  }
  TILEPLAN_CHECK(false, "a format of reports without a writer");
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
