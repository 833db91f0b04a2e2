// SPDX-License-Identifier: Apache-2.0
// Which writer takes which candidates.
#include "formats.h"

#include <algorithm>
#include <optional>
#include <set>

#include "halide.h"
#include "jsonl.h"
#include "metaschedule.h"
#include "mlir.h"
#include "scheme.h"
#include "split_loops.h"
#include "tileplan/error.h"
#include "workload.h"

namespace tileplan {

namespace {

WrittenCandidates json_lines(const CandidateList& list) {
  WrittenCandidates written;
  for (const ListedCandidate& each : list.candidates) {
    written.text += json_line(each, list) + '\n';
    ++written.count;
  }
  return written;
}

bool has_parallel_lambda(const Schedule& schedule) {
  return std::any_of(schedule.loops.begin(), schedule.loops.end(), [](const Specifier& loop) {
    return loop.is_lambda() && loop.kind == Kind::parallel;
  });
}

/// Adds what `text` says of `schedule`, unless an earlier one had the same words.
bool add_once(WrittenCandidates& written, std::set<std::string>& seen, const Schedule& schedule,
              const std::string& text) {
  if (!seen.insert(text).second) {
    ++written.skipped["differs only in layout or hints from one before it"];
    return false;
  }
  for (const std::string& mark : marks_of(schedule)) ++written.left_out[mark];
  ++written.count;
  return true;
}

/// Why `format` cannot say the loops of `schedule`.
std::optional<std::string> why_not(Format format, const Computation& computation,
                                   const Schedule& schedule, int lanes) {
  std::optional<std::string> never;
  switch (format) {
    case Format::ttile:
      return why_no_scheme(schedule, computation.problem);
    case Format::mlir:
      never = why_no_mlir(computation);
      return never ? never : why_no_mlir(schedule, computation, lanes);
    case Format::halide:
    case Format::metaschedule:
      never = why_no_splits(computation);
      return never ? never : why_no_splits(schedule);
    case Format::jsonl:
    case Format::benchdnn:
      break;
  }
  return never;
}

WrittenCandidates schemes(const CandidateList& list) {
  WrittenCandidates written;
  std::set<std::string> seen;
  for (const ListedCandidate& each : list.candidates) {
    const Schedule& schedule = each.candidate.schedule;
    if (const auto reason =
            why_not(Format::ttile, list.computation, schedule, list.machine.vector.lanes)) {
      ++written.skipped[*reason];
      continue;
    }
    const std::string text = to_scheme(schedule, list.computation.problem);
    if (add_once(written, seen, schedule, text)) written.text += text + '\n';
  }
  return written;
}

/// The loops alone: what stays of a schedule where layouts and hints have no words.
std::string loops_text(const Schedule& schedule) {
  return to_string(Schedule{.loops = schedule.loops});
}

WrittenCandidates mlir_modules(const CandidateList& list) {
  WrittenCandidates written;
  std::set<std::string> seen;
  const int lanes = list.machine.vector.lanes;
  for (const ListedCandidate& each : list.candidates) {
    const Schedule& schedule = each.candidate.schedule;
    if (const auto reason = why_not(Format::mlir, list.computation, schedule, lanes)) {
      ++written.skipped[*reason];
      continue;
    }
    const std::string text = mlir_module(schedule, list.computation, lanes);
    // Behind the comment that names the schedule.
    if (!add_once(written, seen, schedule, text.substr(text.find('\n')))) continue;
    if (has_parallel_lambda(schedule))
      ++written.left_out["P with blocks of several sizes: their loops follow each other"];
    if (written.count > 1) written.text += "// -----\n";
    written.text += text;
  }
  return written;
}

/// The candidates that are perfectly nested loops, once each; the others are counted in `written`.
std::vector<const ListedCandidate*> perfectly_nested(const CandidateList& list,
                                                     WrittenCandidates& written) {
  std::vector<const ListedCandidate*> nested;
  std::set<std::string> seen;
  const int lanes = list.machine.vector.lanes;
  for (const ListedCandidate& each : list.candidates) {
    const Schedule& schedule = each.candidate.schedule;
    if (const auto reason = why_not(Format::halide, list.computation, schedule, lanes))
      ++written.skipped[*reason];
    else if (add_once(written, seen, schedule, loops_text(schedule)))
      nested.push_back(&each);
  }
  return nested;
}

WrittenCandidates halide_schedules(const CandidateList& list) {
  WrittenCandidates written;
  std::vector<Schedule> schedules;
  for (const ListedCandidate* each : perfectly_nested(list, written))
    schedules.push_back(each->candidate.schedule);
  if (!schedules.empty())
    written.text = halide_header(schedules, list.computation, list.machine.vector.lanes);
  return written;
}

WrittenCandidates metaschedule_lines(const CandidateList& list) {
  WrittenCandidates written;
  if (const ElementType type = type_of(list.computation.problem); type != ElementType::f32) {
    // The replay of the lines is in f32.
    written.skipped["tensors of " + to_string(type)] = static_cast<int>(list.candidates.size());
    return written;
  }
  for (const ListedCandidate* each : perfectly_nested(list, written))
    written.text += metaschedule_line(*each, list) + '\n';
  return written;
}

WrittenCandidates benchdnn_lines(const CandidateList& list) {
  WrittenCandidates written;
  std::set<std::string> seen;
  const std::optional<std::string> reason = why_no_benchdnn(list.computation.problem);
  for (const ListedCandidate& each : list.candidates) {
    if (reason) {
      ++written.skipped[*reason];
      continue;
    }
    const std::string line = to_benchdnn(list.computation.problem, each.candidate.schedule);
    if (!seen.insert(line).second) {
      ++written.skipped["loops, which benchdnn does not take: same layouts as one before it"];
      continue;
    }
    written.text += line + '\n';
    ++written.count;
  }
  return written;
}

}  // namespace

Format parse_format(const std::string& text) {
  static const std::map<std::string, Format> formats{
      {"jsonl", Format::jsonl}, {"ttile", Format::ttile},   {"benchdnn", Format::benchdnn},
      {"mlir", Format::mlir},   {"halide", Format::halide}, {"metaschedule", Format::metaschedule}};
  const auto found = formats.find(text);
  if (found == formats.end())
    throw Error("--format: '" + text +
                "'; must be jsonl, ttile, benchdnn, mlir, halide or metaschedule");
  return found->second;
}

Refusal refusal_of(Format format, int lanes) {
  return [format, lanes](const Computation& computation, const Schedule& schedule) {
    return why_not(format, computation, schedule, lanes);
  };
}

WrittenCandidates write_candidates(const CandidateList& list, Format format) {
  switch (format) {
    case Format::ttile:
      return schemes(list);
    case Format::benchdnn:
      return benchdnn_lines(list);
    case Format::mlir:
      return mlir_modules(list);
    case Format::halide:
      return halide_schedules(list);
    case Format::metaschedule:
      return metaschedule_lines(list);
    case Format::jsonl:
      break;
  }
  return json_lines(list);
}

}  // namespace tileplan
