// SPDX-License-Identifier: Apache-2.0
// `tileplan measure` measures the schedules of a list of requests, and continues where a killed
// process stopped.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <tuple>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/progress.h"
#include "tileplan/request.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

struct MeasureFlags {
  std::string file, output, shard = "1/1";
};

/// Identifies a request by the problem, the schedule, the machine and the cache state of its
/// record.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

Key key_of(const Record& record) {
  return {record.problem, record.schedule, record.machine, record.regime};
}

/// Returns the requests I, I + N, I + 2 N and so on, where `shard` is the text "I/N".
std::vector<MeasureRequest> part_of(std::vector<MeasureRequest> requests,
                                    const std::string& shard) {
  std::size_t number = 0, count = 0;
  const char* const end = shard.data() + shard.size();
  const auto [slash, error] = std::from_chars(shard.data(), end, number);
  if (error == std::errc{} && slash != end && *slash == '/') {
    const auto [rest, wrong] = std::from_chars(slash + 1, end, count);
    if (wrong != std::errc{} || rest != end) count = 0;
  }
  if (number < 1 || number > count)
    throw Error("--shard: '" + shard + "'; must be I/N with I from 1 to N, such as 3/16");
  std::vector<MeasureRequest> part;
  for (std::size_t i = number - 1; i < requests.size(); i += count)
    part.push_back(std::move(requests[i]));
  return part;
}

/// Returns the complete lines that an earlier process wrote to `path`. If that process was killed
/// in the middle of a line, this line is removed from the file.
std::string lines_before(const std::string& path) {
  if (path.empty() || !std::filesystem::exists(path)) return "";
  std::string text = read_file(path, "what tileplan measure writes");
  if (text.empty() || text.ends_with('\n')) return text;
  text.erase(text.rfind('\n') + 1);
  write_file(path, text);
  return text;
}

/// Returns the requests that have a result of this version in the file at `path`. A failure of the
/// host is no result, because another host may succeed.
std::set<Key> answered(const std::string& path) {
  std::set<Key> keys;
  for (const Record& record : parse_json_lines(lines_before(path), path))
    if (is_lasting(record) && record.version == version()) keys.insert(key_of(record));
  return keys;
}

/// Writes each line to a file, or to stdout, as soon as the line is added.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path) {
    if (path.empty()) return;
    require_writable(path);
    file_.open(path, std::ios::app);
    check();
  }
  void add(const std::string& line) {
    (path_.empty() ? std::cout : file_) << line + '\n' << std::flush;
    check();
  }

 private:
  void check() const {
    if (!path_.empty() && !file_) throw Error(path_ + ": cannot be written");
  }
  std::string path_;
  std::ofstream file_;
};

/// Counts the results of this process.
struct Tally {
  int measured = 0, failed = 0;
  std::string lost;  ///< Gives the first failure that might not occur on another host.

  void add(const Record& record) {
    ++(record.failure.empty() ? measured : failed);
    if (lost.empty() && !is_lasting(record)) lost = record.failure;
  }
};

Tally answer(const std::vector<MeasureRequest>& requests, const std::set<Key>& known,
             Lines& lines) {
  Tally tally;
  ProgressLine progress("measuring");
  const auto show = progress.counter();
  int done = 0;
  for (const MeasureRequest& request : requests) {
    show(done++, static_cast<int>(requests.size()));
    if (known.contains(key_of(record_key(request)))) continue;
    const MeasureResult result = measure(request);
    lines.add(to_json_line(result));
    tally.add(result.record);
  }
  return tally;
}

Status measure_file(const MeasureFlags& flags) {
  if (!flags.output.empty()) require_writable(flags.output, {flags.file});
  const std::vector<MeasureRequest> requests = part_of(
      parse_requests(read_file(flags.file, "what tileplan plan --requests writes"), flags.file),
      flags.shard);
  const std::set<Key> known = answered(flags.output);
  Lines lines(flags.output);
  const Tally tally = answer(requests, known, lines);
  const std::size_t before =
      requests.size() - static_cast<std::size_t>(tally.measured + tally.failed);
  std::cerr << tally.measured << " measured, " << tally.failed << " failed, " << before
            << " known before\n";
  if (tally.lost.empty()) return Status::good;
  std::cerr << "measure again elsewhere, because of " << message_line(tally.lost) << '\n';
  return Status::no;
}

}  // namespace

void add_measure(CLI::App& app, Status& status) {
  auto flags = std::make_shared<MeasureFlags>();
  CLI::App* verb = app.add_subcommand("measure", "Measure requested schedules in a batch job.");
  verb->add_option("file", flags->file, "The file was written by plan --requests.")->required();
  verb->add_option("--shard", flags->shard,
                   "Measure part I of N of the requests, such as 3/16 (default: 1/1).");
  verb->add_option("-o,--output", flags->output,
                   "Add the records to this file as JSON lines, and skip requests that it answers. "
                   "Without it, print them.");
  verb->callback([flags, &status] { status = measure_file(*flags); });
}

}  // namespace tileplan
