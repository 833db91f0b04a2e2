// SPDX-License-Identifier: Apache-2.0
// A candidate list as text for another tuner, and what that text could not hold.
#pragma once

#include <map>
#include <string>

#include "candidate_list.h"

namespace tileplan {

/// `jsonl`: one JSON object per line (data/candidates.schema.json). `ttile`: the papers' scheme
/// string, one per line. `benchdnn`: one input line of oneDNN's benchmark per pair of layouts.
/// `mlir`: modules with their transform sequences, separated by `// -----`. `halide`: a C++ header.
/// `metaschedule`: lines of jsonl with the loops, for tools/metaschedule_replay.py.
enum class Format { jsonl, ttile, benchdnn, mlir, halide, metaschedule };

/// Throws Error with the value and the rule.
Format parse_format(const std::string& text);

/// Why `format` cannot say the loops of a schedule, for lists that are written in it; `lanes` of
/// the machine's vectors.
Refusal refusal_of(Format format, int lanes);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;                             ///< candidates that the text holds
  std::map<std::string, int> skipped = {};   ///< candidates that it does not hold, by reason
  std::map<std::string, int> left_out = {};  ///< marks missing from candidates that it holds
};

/// `list` in `format`, best first. A candidate whose loops the format cannot say is skipped; hints
/// that do not change the loops (prefetching, non-temporal stores) are left out, and of candidates
/// that are then alike the first is written.
WrittenCandidates write_candidates(const CandidateList& list, Format format);

}  // namespace tileplan
