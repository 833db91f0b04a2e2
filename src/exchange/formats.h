// SPDX-License-Identifier: Apache-2.0
// Writes candidate lists as text for other tuners, and counts what the text cannot hold.
#pragma once

#include "candidate_list.h"

namespace tileplan {

/// The file data/candidates.schema.json specifies `jsonl`, `ttile` is the papers' scheme string,
/// and tools/metaschedule_replay.py reads `metaschedule`.
enum class Format { jsonl, ttile, benchdnn, mlir, halide, metaschedule };

/// Throws Error with the text and the known names when `text` is none of them.
Format parse_format(const std::string& text);

/// Returns a function that refuses schedules whose loops `format` cannot say with `lanes` lanes.
Refusal refusal_of(Format format, int lanes);

struct WrittenCandidates {
  std::string text = {};
  int count = 0;                             ///< The text holds so many candidates.
  std::map<std::string, int> skipped = {};   ///< It counts the other candidates by reason.
  std::map<std::string, int> left_out = {};  ///< It counts marks that written candidates lack.
};

/// Writes `list` in `format`, best first. Skips candidates whose loops the format cannot say, and
/// candidates that equal an earlier one without their hints.
WrittenCandidates write_candidates(const CandidateList& list, Format format);

}  // namespace tileplan
