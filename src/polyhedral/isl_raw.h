// SPDX-License-Identifier: Apache-2.0
// This file adds what isl/cpp.h lacks: names, coefficients, exact counts and limits on operations.
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileplan {

/// Owns an isl context that prints no errors. The context must outlive every object made in it.
class IslContext {
 public:
  /// Limits the operations of the context. Beyond the limit, functions of isl throw
  /// isl::exception_quota, but its parser may report a syntax error instead. With 0, there is no
  /// limit.
  explicit IslContext(unsigned long most_operations = 0);
  ~IslContext();
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;

  isl::ctx get() const { return isl::ctx(context_); }

 private:
  isl_ctx* context_;
};

/// Returns `value` as a number, or nothing when `value` is no integer of 64 bits.
std::optional<std::int64_t> integer(const isl::val& value);

isl::val coefficient(const isl::aff& form, int dim);

/// Returns the names of the dimensions of `set`. A constant or repeated index has an empty name.
std::vector<std::string> dim_names(const isl::set& set);

/// Returns the name of the tuple of `set` ("S" of `{ S[i] }`), or empty text.
std::string tuple_name(const isl::set& set);

bool has_parameters(const isl::set& set);

/// Returns true when the constraints of `set` give each dimension a constant lower and upper bound
/// and say nothing else. A set with other constraints may still equal a box.
bool is_plain_box(const isl::set& set);

/// Returns the exact number of points in the set. Requires a bounded set.
std::int64_t count_points(const isl::set& set);

/// Returns the points of `set` with lower[i] <= coordinate i < lower[i] + size[i].
isl::set within_box(const isl::set& set, const std::vector<std::int64_t>& lower,
                    const std::vector<std::int64_t>& size);

}  // namespace tileplan
