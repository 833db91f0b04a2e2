// SPDX-License-Identifier: Apache-2.0
// candidates() lists fast and diverse schedules for other autotuners, and write_candidates() writes
// them in the format of such a tool.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/movement.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the formats of candidate lists, which data/candidates.md describes. `jsonl` follows
/// data/candidates.schema.json.
enum class CandidateFormat {
  jsonl,
  ttile,
  benchdnn,
  mlir,
  iree,
  inductor,
  xtc,
  zigzag,
  halide,
  metaschedule
};

/// Returns the format called `text`. "tvm" is another name of metaschedule. Throws Error with the
/// known names for any other text.
CandidateFormat parse_candidate_format(const std::string& text);

/// Describes a candidate together with properties that other autotuners need.
struct ListedCandidate {
  Candidate candidate = {};
  /// Holds the register tile as loop specifiers: "U(14,w) U(2,k) V(k)".
  std::string microkernel = {};
  /// Names the loop order class (movement.h) around each cache's tile, innermost cache first, as in
  /// OrderExplanation::classes (rival.h). Winograd schedules have "-" for each cache.
  std::string order_class = {};
  /// Holds the tile in each cache, innermost cache first.
  std::vector<std::vector<LoopExtent>> tiles = {};
};

struct CandidateList {
  Problem problem = {};
  Machine machine = {};
  /// The best candidate is first; there is at least one.
  std::vector<ListedCandidate> candidates = {};
  /// Counts, by reason, the schedules of plan() that the format cannot express. Direct schedules
  /// are not counted if the format can express none of those that were found.
  std::map<std::string, int> refused = {};
};

/// Returns at most `options.top` schedules; equal input gives equal schedules. Only one of several
/// direct schedules that move the same bytes at every cache level is returned. Each pair of their
/// input and output layouts whose best prediction is within 6 % of the best of all may fill an
/// equal part of the list with schedules that take at most twice as long as the best. In such a
/// part, a register tile with one class of loop orders gets at most a twentieth of the places, or
/// one place if that is less. The best other schedules fill the places that are left. Schedules
/// that `format` cannot express are replaced by others, unless no schedule would remain. Nothing is
/// measured. With Algorithm::any, direct schedules and Winograd convolutions each get half of the
/// list if there are enough of them and `format` is jsonl, the only format that expresses both.
/// Throws Error where plan() does.
CandidateList candidates(const Problem& problem, const Machine& machine,
                         const Options& options = {},
                         CandidateFormat format = CandidateFormat::jsonl);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;  ///< Counts the candidates in the text.
  /// Counts, by reason, the candidates that were not written.
  std::map<std::string, int> skipped = {};
  /// Counts, by mark, the candidates that were written without this mark, because the format has no
  /// such mark. It is empty for benchdnn, which has no loops.
  std::map<std::string, int> left_out = {};
};

/// Writes `list` in `format`, best candidate first. Skips candidates that the format cannot
/// express, and candidates that equal an earlier one in this format.
WrittenCandidates write_candidates(const CandidateList& list, CandidateFormat format);

}  // namespace tileplan
