// SPDX-License-Identifier: Apache-2.0
// One loop writes every format; the functions before it say how formats differ.
#include "formats.h"

#include <algorithm>
#include <set>

#include "names.h"
#include "split_loops.h"
#include "tileplan/error.h"
#include "workload.h"
#include "writers.h"

namespace tileplan {
namespace {

/// Returns why `format` cannot say the loops of `schedule`.
std::optional<std::string> why_not(Format format, const Computation& computation,
                                   const Schedule& schedule, int lanes) {
  switch (format) {
    case Format::benchdnn:
      return why_no_benchdnn(computation.problem);
    case Format::ttile:
      return why_no_scheme(schedule, computation.problem);
    case Format::mlir:
      return why_no_mlir(schedule, computation, lanes);
    case Format::metaschedule:  // Its replay is in f32.
      for (const TensorAccess& tensor : computation.tensors)
        if (tensor.type != ElementType::f32) return "tensors of " + to_string(tensor.type);
      [[fallthrough]];
    case Format::halide:
      return why_no_splits(schedule, computation);
    case Format::jsonl:
      break;
  }
  return std::nullopt;
}

std::string candidate_text(Format format, const ListedCandidate& candidate,
                           const CandidateList& list) {
  const Schedule& schedule = candidate.candidate.schedule;
  const Problem& problem = list.computation.problem;
  switch (format) {
    case Format::ttile:
      return to_scheme(schedule, problem) + '\n';
    case Format::benchdnn:
      return to_benchdnn(problem, schedule) + '\n';
    case Format::mlir:
      return mlir_module(schedule, list.computation, list.machine.vector.lanes);
    case Format::metaschedule:
      return metaschedule_line(candidate, list) + '\n';
    case Format::halide:  // One header holds all candidates.
      return "";
    case Format::jsonl:
      break;
  }
  return json_line(candidate, list) + '\n';
}

std::string dedup_key(Format format, const Schedule& schedule, const std::string& text) {
  if (format == Format::halide || format == Format::metaschedule)
    return to_string(Schedule{.loops = schedule.loops});
  return format == Format::mlir ? text.substr(text.find('\n')) : text;  // A comment comes first.
}

void count_left_out(WrittenCandidates& written, Format format, const Schedule& schedule) {
  if (format == Format::jsonl || format == Format::benchdnn) return;
  const auto count = [&](bool has, const char* mark) {
    if (has) ++written.left_out[mark];
  };
  count(schedule.prefetch > 0, "prefetching the weights of later steps");
  count(schedule.ahead.has_value(), "prefetching for the next iteration");
  count(schedule.nontemporal, "non-temporal stores");
  const auto is_uneven = [](const Specifier& loop) {
    return loop.is_lambda() && loop.kind == Kind::parallel;
  };
  count(format == Format::mlir && std::ranges::any_of(schedule.loops, is_uneven),
        "P with blocks of several sizes: their loops follow each other");
}

}  // namespace

Format parse_format(const std::string& text) {
  constexpr Names<Format, 6> kFormats{{{Format::jsonl, "jsonl"},
                                       {Format::ttile, "ttile"},
                                       {Format::benchdnn, "benchdnn"},
                                       {Format::mlir, "mlir"},
                                       {Format::halide, "halide"},
                                       {Format::metaschedule, "metaschedule"}}};
  if (const auto format = find_in(kFormats, text)) return *format;
  throw Error("--format: '" + text + "'; must be " + list_of(kFormats));
}

Refusal refusal_of(Format format, int lanes) {
  return [format, lanes](const Computation& computation, const Schedule& schedule) {
    return why_not(format, computation, schedule, lanes);
  };
}

WrittenCandidates write_candidates(const CandidateList& list, Format format) {
  WrittenCandidates written;
  std::set<std::string> seen;
  std::vector<Schedule> schedules;
  const int lanes = list.machine.vector.lanes;
  for (const ListedCandidate& each : list.candidates) {
    const Schedule& schedule = each.candidate.schedule;
    if (const auto reason = why_not(format, list.computation, schedule, lanes)) {
      ++written.skipped[*reason];
      continue;
    }
    const std::string text = candidate_text(format, each, list);
    if (!seen.insert(dedup_key(format, schedule, text)).second) {
      ++written.skipped[format == Format::benchdnn
                            ? "loops, which benchdnn does not take: same layouts as one before it"
                            : "differs only in layout or hints from one before it"];
      continue;
    }
    if (format == Format::mlir && written.count > 0) written.text += "// -----\n";
    written.text += text;
    ++written.count;
    count_left_out(written, format, schedule);
    schedules.push_back(schedule);
  }
  if (format == Format::halide && !schedules.empty())
    written.text = halide_header(schedules, list.computation, lanes);
  return written;
}

}  // namespace tileplan
