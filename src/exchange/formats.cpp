// SPDX-License-Identifier: Apache-2.0
// Which writer takes which candidates.
#include "formats.h"

#include <optional>
#include <set>

#include "jsonl.h"
#include "scheme.h"
#include "tileplan/error.h"
#include "workload.h"

namespace tileplan {

namespace {

/// The marks of `schedule` that no foreign format has words for.
std::vector<std::string> marks_of(const Schedule& schedule) {
  std::vector<std::string> marks;
  if (schedule.prefetch > 0) marks.emplace_back("prefetching the weights of later steps");
  if (schedule.ahead) marks.emplace_back("prefetching the weights of the next iteration");
  if (schedule.nontemporal) marks.emplace_back("non-temporal stores");
  return marks;
}

WrittenCandidates json_lines(const CandidateList& list) {
  WrittenCandidates written;
  for (const ListedCandidate& each : list.candidates) {
    written.text += json_line(each, list) + '\n';
    ++written.count;
  }
  return written;
}

WrittenCandidates schemes(const CandidateList& list) {
  WrittenCandidates written;
  std::set<std::string> seen;
  for (const ListedCandidate& each : list.candidates) {
    const Schedule& schedule = each.candidate.schedule;
    const std::optional<std::string> reason = why_no_scheme(schedule, list.computation.problem);
    if (reason) {
      ++written.skipped[*reason];
      continue;
    }
    const std::string text = to_scheme(schedule, list.computation.problem);
    if (!seen.insert(text).second) {
      ++written.skipped["differs only in layout from one before it"];
      continue;
    }
    for (const std::string& mark : marks_of(schedule)) ++written.left_out[mark];
    written.text += text + '\n';
    ++written.count;
  }
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
      {"jsonl", Format::jsonl}, {"ttile", Format::ttile}, {"benchdnn", Format::benchdnn}};
  const auto found = formats.find(text);
  if (found == formats.end())
    throw Error("--format: '" + text + "'; must be jsonl, ttile or benchdnn");
  return found->second;
}

WrittenCandidates write_candidates(const CandidateList& list, Format format) {
  switch (format) {
    case Format::ttile:
      return schemes(list);
    case Format::benchdnn:
      return benchdnn_lines(list);
    case Format::jsonl:
      break;
  }
  return json_lines(list);
}

}  // namespace tileplan
