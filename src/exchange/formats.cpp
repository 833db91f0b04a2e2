// SPDX-License-Identifier: Apache-2.0
// write_candidates() writes the candidates one after another, except that one Halide header holds
// all of them.
#include "formats.h"

#include <algorithm>
#include <set>
#include <utility>

#include "linalg_operation.h"
#include "merge_dims.h"
#include "names.h"
#include "split_loops.h"
#include "workload.h"
#include "writers.h"

namespace tileplan {
namespace {

/// Returns true for formats that are written for f32 only, because the scripts that compile their
/// files use f32.
bool is_f32_only(CandidateFormat format) {
  return format == CandidateFormat::metaschedule || format == CandidateFormat::iree ||
         format == CandidateFormat::inductor || format == CandidateFormat::xtc;
}

/// Returns the reason why `format` cannot express tensors of `types`, or nothing if it can. Named
/// operations of linalg accumulate in the type of the output. In Halide, the Func of the output
/// holds the sums, so both types must be equal.
std::optional<std::string> why_no_types(CandidateFormat format, const TensorTypes& types) {
  if (is_f32_only(format) && types != ElementType::f32) return "tensors of " + to_string(types);
  if (format == CandidateFormat::mlir && types != ElementType::f32 && types != ElementType::f64)
    return "tensors of " + to_string(types);
  if (format == CandidateFormat::halide && types.output != accumulator_of(types))
    return "outputs of " + to_string(types.output) + " from sums of " +
           to_string(accumulator_of(types));
  return std::nullopt;
}

/// Returns the reason why `format` cannot express `schedule`, or nothing if it can. The loops of
/// `schedule` run over elements of `computation`.
std::optional<std::string> why_no_loops(CandidateFormat format, const Computation& computation,
                                        const Schedule& schedule, const Machine& machine) {
  const int lanes = machine.vector.lanes;
  switch (format) {
    case CandidateFormat::ttile:
      return why_no_scheme(schedule, computation.problem);
    case CandidateFormat::xtc:
      return why_no_xtc(schedule, computation, lanes);
    case CandidateFormat::mlir:
      return why_no_linalg(schedule, computation, lanes);
    case CandidateFormat::iree:
      return why_no_iree(schedule, computation, lanes);
    case CandidateFormat::inductor:
      return why_no_inductor(schedule, computation, lanes, machine.cores);
    case CandidateFormat::zigzag:
      return why_no_zigzag(schedule, computation, lanes);
    case CandidateFormat::halide:
    case CandidateFormat::metaschedule:
      return why_no_splits(schedule, computation);
    case CandidateFormat::benchdnn:
    case CandidateFormat::jsonl:
      break;
  }
  return std::nullopt;
}

/// Returns the reason why `format` cannot express `schedule`, or nothing if it can.
std::optional<std::string> why_not(CandidateFormat format, const StripLoops& loops,
                                   const Schedule& schedule, const Machine& machine) {
  if (format == CandidateFormat::jsonl) return std::nullopt;
  if (schedule.takes_plain_weights()) return "plain weights";
  if (schedule.winograd) return "a Winograd convolution";
  if (format == CandidateFormat::benchdnn) return why_no_benchdnn(loops.elements.problem);
  if (auto why = why_no_types(format, types_of(loops.elements.problem))) return why;
  if (auto why = why_no_element_loops(loops)) return why;
  return why_no_loops(format, loops.elements, element_schedule(schedule, loops), machine);
}

std::string candidate_text(CandidateFormat format, const ListedCandidate& candidate,
                           const CandidateList& list, const Computation& computation) {
  const Schedule& schedule = candidate.candidate.schedule;
  switch (format) {
    case CandidateFormat::ttile:
      return to_scheme(schedule, list.problem) + '\n';
    case CandidateFormat::xtc:
      return to_xtc(schedule, list.problem, list.machine.vector.lanes) + '\n';
    case CandidateFormat::benchdnn:
      return to_benchdnn(list.problem, schedule) + '\n';
    case CandidateFormat::mlir:
      return mlir_module(schedule, computation, list.machine);
    case CandidateFormat::iree:
      return iree_module(schedule, computation, list.machine.vector.lanes);
    case CandidateFormat::inductor:
      return inductor_line(candidate, list,
                           inductor_blocking(schedule, computation, list.machine.vector.lanes,
                                             list.machine.cores)) +
             '\n';
    case CandidateFormat::metaschedule:
      return metaschedule_line(candidate, list, computation) + '\n';
    case CandidateFormat::zigzag:
      return zigzag_line(candidate.candidate, list, computation) + '\n';
    case CandidateFormat::halide:  // One header holds all candidates.
      return "";
    case CandidateFormat::jsonl:
      break;
  }
  return json_line(candidate, list) + '\n';
}

/// Returns true for formats with one module per candidate.
bool is_mlir(CandidateFormat format) {
  return format == CandidateFormat::mlir || format == CandidateFormat::iree;
}

/// Returns the comments before the module of the candidate at place `rank`, counted from 1. A line
/// of five dashes separates modules for `mlir-opt --split-input-file`.
std::string module_head(int rank) {
  return (rank > 1 ? "// -----\n" : "") + ("// rank " + std::to_string(rank)) + '\n';
}

std::string dedup_key(CandidateFormat format, const Schedule& schedule, const std::string& text) {
  if (format == CandidateFormat::halide || format == CandidateFormat::metaschedule ||
      format == CandidateFormat::zigzag)
    return to_string(Schedule{.loops = schedule.loops});
  // The first line of an MLIR module is a comment, which differs between candidates with equal
  // code.
  return is_mlir(format) ? text.substr(text.find('\n')) : text;
}

void count_left_out(WrittenCandidates& written, CandidateFormat format, const Schedule& schedule) {
  if (format == CandidateFormat::jsonl || format == CandidateFormat::benchdnn) return;
  const auto count = [&](bool has, const char* mark) {
    if (has) ++written.left_out[mark];
  };
  count(schedule.prefetch > 0, "prefetching the weights of later steps");
  count(schedule.ahead.has_value(), "prefetching for the next iteration");
  count(schedule.nontemporal, "non-temporal stores");
  const auto is_uneven = [](const Specifier& loop) {
    return loop.is_lambda() && loop.kind == Kind::parallel;
  };
  count(format == CandidateFormat::mlir && std::ranges::any_of(schedule.loops, is_uneven),
        "P with blocks of several sizes: their loops follow each other");
}

/// Returns `listed` with loops over elements. Loops over strips stay as they are if `format` keeps
/// tileplan's schedules (jsonl) or has no loops (benchdnn).
ListedCandidate in_loops_of(CandidateFormat format, ListedCandidate listed,
                            const StripLoops& loops) {
  if (format == CandidateFormat::jsonl || format == CandidateFormat::benchdnn) return listed;
  Schedule& schedule = listed.candidate.schedule;
  schedule = element_schedule(std::move(schedule), loops);
  return listed;
}

const char* why_repeated(CandidateFormat format) {
  return format == CandidateFormat::benchdnn
             ? "loops, which benchdnn does not take: same layouts as one before it"
             : "differs only in layout or hints from one before it";
}

}  // namespace

CandidateFormat parse_candidate_format(const std::string& text) {
  constexpr Names<CandidateFormat, 10> kFormats{{{CandidateFormat::jsonl, "jsonl"},
                                                 {CandidateFormat::ttile, "ttile"},
                                                 {CandidateFormat::benchdnn, "benchdnn"},
                                                 {CandidateFormat::mlir, "mlir"},
                                                 {CandidateFormat::iree, "iree"},
                                                 {CandidateFormat::halide, "halide"},
                                                 {CandidateFormat::metaschedule, "metaschedule"},
                                                 {CandidateFormat::inductor, "inductor"},
                                                 {CandidateFormat::xtc, "xtc"},
                                                 {CandidateFormat::zigzag, "zigzag"}}};
  return parse_name(kFormats, "--format", text == "tvm" ? "metaschedule" : text);
}

Refusal refusal_of(CandidateFormat format, const StripLoops& loops, const Machine& machine) {
  return [format, &loops, &machine](const Computation& /*strips*/, const Schedule& schedule) {
    return why_not(format, loops, schedule, machine);
  };
}

WrittenCandidates write_candidates(const CandidateList& list, CandidateFormat format) {
  WrittenCandidates written;
  if (list.candidates.empty()) return written;
  const StripLoops loops =
      strip_loops(list.problem, list.candidates.front().candidate.schedule, list.machine.vector);
  std::set<std::string> seen;
  std::vector<Schedule> schedules;
  const int lanes = list.machine.vector.lanes;
  for (const ListedCandidate& listed : list.candidates) {
    if (const auto reason = why_not(format, loops, listed.candidate.schedule, list.machine)) {
      ++written.skipped[*reason];
      continue;
    }
    const ListedCandidate each = in_loops_of(format, listed, loops);
    const Schedule& schedule = each.candidate.schedule;
    const std::string text = candidate_text(format, each, list, loops.elements);
    if (!seen.insert(dedup_key(format, schedule, text)).second) {
      ++written.skipped[why_repeated(format)];
      continue;
    }
    ++written.count;
    if (is_mlir(format)) written.text += module_head(written.count);
    written.text += text;
    count_left_out(written, format, schedule);
    schedules.push_back(schedule);
  }
  if (format == CandidateFormat::halide && !schedules.empty())
    written.text = halide_header(schedules, loops.elements, lanes);
  return written;
}

}  // namespace tileplan
