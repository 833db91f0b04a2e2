// SPDX-License-Identifier: Apache-2.0
// This class detects overflow of 64-bit integers, so that sizes are checked before they are used.
#pragma once

#include <cstdint>

#include "check.h"

namespace tileplan {

/// Holds an integer. After an overflow, fits() is false for the result and for all numbers computed
/// from it.
class Exact {
 public:
  Exact(std::int64_t value) : value_(value) {}

  bool fits() const { return fits_; }
  /// Returns the integer. Requires `fits()`, and aborts the program otherwise.
  std::int64_t value() const {
    TILEPLAN_CHECK(fits_, "the value of an overflowed integer was asked for");
    return value_;
  }

  friend Exact operator+(Exact a, Exact b) {
    Exact sum(0);
    sum.fits_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.fits_ && b.fits_;
    return sum;
  }
  friend Exact operator-(Exact a, Exact b) {
    Exact difference(0);
    difference.fits_ =
        !__builtin_sub_overflow(a.value_, b.value_, &difference.value_) && a.fits_ && b.fits_;
    return difference;
  }
  friend Exact operator*(Exact a, Exact b) {
    Exact product(0);
    product.fits_ =
        !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.fits_ && b.fits_;
    return product;
  }

 private:
  std::int64_t value_;
  bool fits_ = true;
};

}  // namespace tileplan
