// SPDX-License-Identifier: Apache-2.0
// `tileplan records` lists, exports and merges stored measurements.
#include "tileplan/records.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

struct RecordsFlags : PlanFlags {
  RecordFilter filter;
  std::string file;                ///< Names the output file of an export.
  std::vector<std::string> files;  ///< Lists databases and files of JSON lines to merge.
};

Records open_records(const RecordsFlags& flags) {
  return Records(flags.records.empty() ? records_path() : flags.records);
}

bool is_time(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000000";
  // A time may be shortened to its day, minute or second.
  constexpr std::size_t kLengths[] = {10, 16, 19, kForm.size()};
  if (std::ranges::count(kLengths, text.size()) == 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kForm[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != kForm[i]) return false;
  const auto number = [&](std::size_t at, std::size_t count) {
    return static_cast<unsigned>(std::stoul(text.substr(at, count)));
  };
  const std::chrono::year year(static_cast<int>(number(0, 4)));
  return (year / std::chrono::month(number(5, 2)) / std::chrono::day(number(8, 2))).ok();
}

/// Returns a time that can be compared as text with the times of records. `Z` at the end is
/// removed, because a shortened time sorts before the full one only without it.
std::string since_of(std::string text) {
  const std::string typed = text;
  if (text.ends_with('Z') && text.size() > 10) text.pop_back();
  if (!is_time(text))
    throw Error("--since: '" + typed +
                "'; must be a UTC time such as 2026-11-21 or 2026-11-21T13:05:00Z");
  return text;
}

std::vector<Record> find_records(const RecordsFlags& flags) {
  RecordFilter filter = flags.filter;
  if (!filter.problem.empty()) filter.problem = to_string(parse_problem(filter.problem));
  if (!filter.regime.empty()) filter.regime = to_string(parse_regime(filter.regime));
  if (!filter.since.empty()) filter.since = since_of(filter.since);
  if (!flags.records.empty() && !std::filesystem::exists(flags.records))
    throw Error("--records: '" + flags.records + "' is not there; must be a database to read");
  return open_records(flags).find(filter, print_note);
}

void list(const RecordsFlags& flags) {
  const std::vector<Record> records = find_records(flags);
  if (flags.json) {
    Json all = Json::array();
    std::istringstream lines(to_json_lines(records));
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    print_json(all);
    return;
  }
  std::vector<std::vector<std::string>> rows{
      {"taken", "regime", "median", "samples", "machine", "version", ""}};
  for (const Record& one : records)
    rows.push_back({one.taken, one.regime,
                    one.samples.empty() ? one.failure : format_seconds(median_seconds(one)),
                    std::to_string(one.samples.size()), one.machine, one.version,
                    one.problem + " " + one.schedule});
  if (!records.empty()) std::cout << narrow_table(rows, terminal_style());
  std::cout << records.size() << " measurements\n";
}

void export_lines(const RecordsFlags& flags) {
  if (!flags.file.empty())
    require_writable(flags.file, {flags.records.empty() ? records_path() : flags.records});
  write_or_print(flags.file, to_json_lines(find_records(flags)));
}

bool is_database(const std::string& path) {
  constexpr std::string_view kFirst = "SQLite format 3";
  std::string first(kFirst.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(first.data(), static_cast<std::streamsize>(first.size()));
  return first == kFirst;
}

void merge(const RecordsFlags& flags) {
  Records records = open_records(flags);
  std::size_t added = 0;
  for (const std::string& file : flags.files)
    added += is_database(file) ? records.merge(file, print_note)
                               : records.add(parse_json_lines(
                                     read_file(file, "a database or lines of measurements"), file));
  std::cout << added << " measurements were new\n";
}

CLI::App* add(CLI::App& records, const char* name, const char* what,
              const std::shared_ptr<RecordsFlags>& flags, void (*action)(const RecordsFlags&)) {
  CLI::App* verb = records.add_subcommand(name, what);
  add_flags(*verb, *flags, {"--records"});
  verb->callback([flags, action] { action(*flags); });
  return verb;
}

void add_filter(CLI::App& verb, RecordFilter& filter) {
  verb.add_option("--problem", filter.problem, "Take the measurements of this problem only.");
  verb.add_option("--machine", filter.machine,
                  "Take those of this machine only; its name is as listed.");
  verb.add_option("--regime", filter.regime, "Take those of this regime only.");
  verb.add_option("--since", filter.since,
                  "Take those from this UTC time on: 2026-11-21, or a time as listed.");
}

}  // namespace

void add_records(CLI::App& app) {
  auto flags = std::make_shared<RecordsFlags>();
  CLI::App* verb = app.add_subcommand("records", "List, export or merge stored measurements.");
  verb->require_subcommand(1);
  CLI::App* listing =
      add(*verb, "list", "Print one line per measurement, oldest first.", flags, list);
  add_flags(*listing, *flags, {"--json"});
  add_filter(*listing, flags->filter);
  CLI::App* exporting =
      add(*verb, "export", "Write measurements as JSON lines.", flags, export_lines);
  exporting->add_option("-o,--output", flags->file,
                        "Write to this file instead of standard output.");
  add_filter(*exporting, flags->filter);
  add(*verb, "merge", "Add the measurements of other databases or files.", flags, merge)
      ->add_option("files", flags->files,
                   "Each file is a database, or was written by records export or by measure.")
      ->required();
}

}  // namespace tileplan
