// SPDX-License-Identifier: Apache-2.0
// What isl/cpp.h does not offer: an owned context, names, coefficients and exact counts. For this
// folder only.
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileplan {

/// An isl context of its own, silent on errors (isl/cpp.h throws them). Must outlive every object
/// made in it.
class IslContext {
 public:
  IslContext();
  ~IslContext();
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;

  isl::ctx get() const { return isl::ctx(context_); }

 private:
  isl_ctx* context_;
};

/// `value` as a number; nothing for fractions, infinities and what exceeds 64 bits.
std::optional<std::int64_t> integer(const isl::val& value);

/// Coefficient of input dim `dim` of `form`.
isl::val coefficient(const isl::aff& form, int dim);

/// Names of the set dims of `set`; a dim without one (a constant or repeated index) has an empty
/// name.
std::vector<std::string> dim_names(const isl::set& set);

/// Name of the tuple of `set` ("S" of `{ S[i] }`), or nothing.
std::string tuple_name(const isl::set& set);

/// True when `set` has symbolic parameters.
bool has_parameters(const isl::set& set);

/// True when `set` is given by bounds on single dims only. A set that is not may still equal a box.
bool is_plain_box(const isl::set& set);

/// Exact number of points. Requires: bounded.
std::int64_t count_points(const isl::set& set);

/// The points of `set` with lower[i] <= coordinate i < lower[i] + size[i]. Ten times faster than
/// parsing the box.
isl::set within_box(const isl::set& set, const std::vector<std::int64_t>& lower,
                    const std::vector<std::int64_t>& size);

}  // namespace tileplan
