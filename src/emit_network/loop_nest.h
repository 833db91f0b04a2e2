// SPDX-License-Identifier: Apache-2.0
// This file writes nested loops over tensors as C.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c_text.h"
#include "node_view.h"

namespace tileplan {

/// Writes nested loops in which each operand moves by steps. Loops are added from the outermost to
/// the innermost. Operands begin at offset 0 unless add_offsets() sets another start.
///
/// Example, the transposition of a matrix of 2 x 3 elements, from operand 0 to operand 1:
///     LoopNest nest(2);
///     nest.add(2, {3, 1});
///     nest.add(3, {1, 2});
class LoopNest {
 public:
  explicit LoopNest(std::size_t operands) : starts_(operands) {}

  /// Adds a loop of `count` iterations, in each of which operand o moves by steps[o] elements.
  void add(std::int64_t count, const Extents& steps);

  /// Adds loops in whose iteration i operand o is offsets[o][i] elements further. All lists must
  /// have the same length, at least one. Regular offsets become loops with constant steps, and
  /// others are read from tables. Throws NotUnderstood for a table of more than 65536 offsets.
  void add_offsets(std::vector<Extents> offsets);

  /// Orders the loops such that the innermost loop has the smallest step in `operand`. Loops in
  /// which `operand` does not move are outermost. Only the first step of a table counts.
  void order_by(std::size_t operand);

  /// Returns the offset of `operand` in the first iteration.
  std::int64_t start(std::size_t operand) const { return starts_[operand]; }

  /// Writes the tables and the heads of the loops. Two loops are joined if one loop has the same
  /// effect for all operands.
  void open(CWriter& out);
  /// Returns the offset of `operand` inside the loops, as C text. Requires that open() was called,
  /// because it joins loops.
  std::string at(std::size_t operand) const;
  void close(CWriter& out) const;

 private:
  struct Loop {
    std::int64_t count = 1;
    Extents steps = {};
    std::vector<Extents> tables = {};  ///< If not empty, tables of offsets replace `steps`.
  };

  void join_loops();
  static bool can_join(const Loop& outer, const Loop& inner);
  static std::int64_t smallest_step(const Loop& loop, std::size_t operand);

  std::vector<Loop> loops_;
  Extents starts_;
};

}  // namespace tileplan
