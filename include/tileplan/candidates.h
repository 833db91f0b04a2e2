// SPDX-License-Identifier: Apache-2.0
// candidates() lists fast and diverse schedules for other autotuners; write_candidates() writes
// them.
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

/// The formats of candidate lists, described in data/candidates.md. `jsonl` follows
/// data/candidates.schema.json.
enum class CandidateFormat { jsonl, ttile, benchdnn, mlir, halide, metaschedule };

/// Returns the format that `text` names; "tvm" stands for metaschedule. Throws Error with the
/// names.
CandidateFormat parse_candidate_format(const std::string& text);

/// A candidate with what other tuners need to know about it.
struct ListedCandidate {
  Candidate candidate = {};
  std::string microkernel =
      {};  ///< the specifiers that size the register tile: "U(14,w) U(2,k) V(k)"
  std::string order_class = {};  ///< classes of the loops around each cache's tile, innermost first
  std::vector<std::vector<LoopExtent>> tiles = {};  ///< held by each cache, innermost first
};

struct CandidateList {
  Problem problem = {};
  Machine machine = {};
  std::vector<ListedCandidate> candidates = {};  ///< best first, never empty
  std::map<std::string, int> refused = {};       ///< schedules that gave way to others, by reason
};

/// Returns at most `options.top` schedules. Schedules that move the same bytes at every cache level
/// occur once, and each competitive layout gets an equal part. The same input gives the same list.
/// Schedules that `format` cannot express leave their places to others, unless none would be left.
/// Throws Error where plan() does.
CandidateList candidates(const Problem& problem, const Machine& machine,
                         const Options& options = {},
                         CandidateFormat format = CandidateFormat::jsonl);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;                            ///< candidates in the text
  std::map<std::string, int> skipped = {};  ///< candidates that the text lacks, by reason
  std::map<std::string, int> left_out =
      {};  ///< marks that the text lacks for candidates that it holds
};

/// Writes `list` in `format`, best first. Candidates that the format cannot express, and those that
/// equal an earlier one in it, are skipped.
WrittenCandidates write_candidates(const CandidateList& list, CandidateFormat format);

}  // namespace tileplan
