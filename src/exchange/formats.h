// SPDX-License-Identifier: Apache-2.0
// Writes candidate lists as text for other tuners, and counts what the text cannot hold.
#pragma once

#include "candidate_list.h"

namespace tileplan {

/// `jsonl` is specified in data/candidates.schema.json, `ttile` is the papers' scheme string, and
/// tools/metaschedule_replay.py reads `metaschedule`.
enum class Format { jsonl, ttile, benchdnn, mlir, halide, metaschedule };

Format parse_format(const std::string& text);

/// Returns the test for schedules whose loops `format` cannot say with vectors of `lanes`.
Refusal refusal_of(Format format, int lanes);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;                             ///< candidates that the text holds
  std::map<std::string, int> skipped = {};   ///< candidates that it does not hold, by reason
  std::map<std::string, int> left_out = {};  ///< marks missing from candidates that it holds
};

/// Writes `list` in `format`, best first. Skips candidates whose loops the format cannot say, and
/// candidates that equal an earlier one without their hints.
WrittenCandidates write_candidates(const CandidateList& list, Format format);

}  // namespace tileplan
