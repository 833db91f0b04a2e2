// SPDX-License-Identifier: Apache-2.0
// These functions read isl text into a checked domain and accesses. Only this folder uses them.
// Besides Error, they may throw isl::exception.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "access.h"
#include "isl_raw.h"

namespace tileplan {

/// Holds a box of iterations that starts at 0.
struct Domain {
  isl::set set;
  std::vector<std::string> names;
  std::vector<std::int64_t> extents;
};

struct Access {
  isl::map map;
  /// Describes the tensor. The extent of each index is its largest value plus 1.
  TensorAccess tensor;
};

/// Throws Error("relation: " + why).
[[noreturn]] void refuse(const std::string& why);

/// Returns the message of isl without the position in isl's sources.
std::string words_of(const isl::exception& error);

template <class T>
std::string to_text(const T& object) {
  std::ostringstream text;
  text << object;
  return text.str();
}

/// Returns the domain of `text`. Throws Error when the text exceeds check_isl_limits(), is not isl
/// text or has parameters, or when the domain is empty or not a bounded box at the origin with 1 to
/// kMaxDims named iterators.
Domain read_domain(const IslContext& context, const std::string& text);

/// Returns the accesses of `text` in their order in the text. Error messages call the text `what`.
/// Throws Error when the text exceeds check_isl_limits() or is not isl text, or when an access has
/// no tensor name or has parameters, is not affine, is not defined once for each iteration of
/// `domain`, has negative factors, exceeds 2^63 - 1, or breaks condition C1 (access.h).
std::vector<Access> read_accesses(const IslContext& context, const char* what,
                                  const std::string& text, const Domain& domain);

}  // namespace tileplan
