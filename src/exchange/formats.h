// SPDX-License-Identifier: Apache-2.0
// Writes candidate lists as text for other tuners, and counts what the text cannot hold.
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

/// Parses the name of a format. Throws Error with the value and the rule.
Format parse_format(const std::string& text);

/// Returns the test that keeps schedules out of a list when `format` cannot say their loops.
/// `lanes` is the vector length of the machine.
Refusal refusal_of(Format format, int lanes);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;                             ///< candidates that the text holds
  std::map<std::string, int> skipped = {};   ///< candidates that it does not hold, by reason
  std::map<std::string, int> left_out = {};  ///< marks missing from candidates that it holds
};

/// Writes `list` in `format`, best first. Skips candidates whose loops the format cannot say.
/// Leaves out hints that do not change the loops (prefetching, non-temporal stores), and writes
/// only the first of the candidates that are then equal.
WrittenCandidates write_candidates(const CandidateList& list, Format format);

}  // namespace tileplan
