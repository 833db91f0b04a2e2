// SPDX-License-Identifier: Apache-2.0
// Offsets of blocked channels and of resized axes repeat a pattern, so they become nested loops.
#include "loop_nest.h"

#include <algorithm>
#include <cstdlib>

namespace tileplan {
namespace {

// Longer tables would slow compilers down.
constexpr std::size_t kLongestTable = std::size_t{1} << 16;

std::string variable(std::size_t depth) {
  return std::string(1, 'i').append(std::to_string(depth));
}

std::string table_name(std::size_t depth, std::size_t operand) {
  return std::string("offsets")
      .append(std::to_string(depth))
      .append(1, '_')
      .append(std::to_string(operand));
}

/// Returns the number of offsets, from `first` on, whose differences are equal.
std::size_t run_length(const Extents& offsets, std::size_t first) {
  std::size_t length = std::min<std::size_t>(2, offsets.size() - first);
  while (first + length < offsets.size() && offsets[first + length] - offsets[first + length - 1] ==
                                                offsets[first + 1] - offsets[first])
    ++length;
  return length;
}

/// Returns the length of the equal blocks into which all lists are split, or 1 for no blocks.
/// In each block of a list, the offsets must have the same difference as in the list's first block.
/// The length is that of the shortest run of equal differences with which a list begins.
std::size_t block_length(const std::vector<Extents>& offsets) {
  const std::size_t count = offsets.front().size();
  std::size_t length = count;
  for (const Extents& each : offsets) length = std::min(length, run_length(each, 0));
  if (length < 2 || count % length != 0) return 1;
  for (const Extents& each : offsets)
    for (std::size_t first = length; first < count; first += length)
      if (run_length(each, first) < length || each[first + 1] - each[first] != each[1] - each[0])
        return 1;
  return length;
}

void write_table(CWriter& out, const std::string& name, const Extents& offsets) {
  constexpr std::size_t kPerLine = 12;
  out.line("static const int64_t " + name + "[" + std::to_string(offsets.size()) + "] = {");
  for (std::size_t i = 0; i < offsets.size(); i += kPerLine) {
    std::string row = "   ";
    for (std::size_t k = i; k < std::min(i + kPerLine, offsets.size()); ++k)
      row.append(1, ' ').append(std::to_string(offsets[k])).append(1, ',');
    out.line(row);
  }
  out.line("};");
}

}  // namespace

void LoopNest::add(std::int64_t count, const Extents& steps) {
  loops_.push_back({.count = count, .steps = steps});
}

void LoopNest::add_offsets(std::vector<Extents> offsets) {
  for (std::size_t o = 0; o < offsets.size(); ++o) {
    const std::int64_t start = offsets[o][0];
    starts_[o] += start;
    for (std::int64_t& offset : offsets[o]) offset -= start;
  }
  const std::size_t place = loops_.size();
  for (std::size_t length = block_length(offsets); length > 1; length = block_length(offsets)) {
    Loop loop{.count = static_cast<std::int64_t>(length)};
    for (Extents& each : offsets) {
      loop.steps.push_back(each[1] - each[0]);
      for (std::size_t i = 0; i * length < each.size(); ++i) each[i] = each[i * length];
      each.resize(each.size() / length);
    }
    loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(place), std::move(loop));
  }
  const std::size_t left = offsets.front().size();
  if (left == 1) return;
  if (left > kLongestTable) throw NotUnderstood{"a table of " + std::to_string(left) + " offsets"};
  loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(place),
                Loop{.count = static_cast<std::int64_t>(left), .tables = std::move(offsets)});
}

std::int64_t LoopNest::smallest_step(const Loop& loop, std::size_t operand) {
  return std::abs(loop.tables.empty() ? loop.steps[operand] : loop.tables[operand][1]);
}

void LoopNest::order_by(std::size_t operand) {
  std::ranges::stable_sort(loops_, [&](const Loop& one, const Loop& two) {
    const std::int64_t a = smallest_step(one, operand), b = smallest_step(two, operand);
    return a != b && (a == 0 || (b != 0 && a > b));
  });
}

bool LoopNest::can_join(const Loop& outer, const Loop& inner) {
  if (!outer.tables.empty() || !inner.tables.empty()) return false;
  for (std::size_t o = 0; o < outer.steps.size(); ++o)
    if (outer.steps[o] != inner.count * inner.steps[o]) return false;
  return true;
}

void LoopNest::join_loops() {
  std::erase_if(loops_, [](const Loop& loop) { return loop.count == 1; });
  for (std::size_t i = loops_.size(); i-- > 1;) {
    if (!can_join(loops_[i - 1], loops_[i])) continue;
    loops_[i - 1].count *= loops_[i].count;
    loops_[i - 1].steps = loops_[i].steps;
    loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void LoopNest::open(CWriter& out) {
  join_loops();
  for (std::size_t depth = 0; depth < loops_.size(); ++depth)
    for (std::size_t o = 0; o < loops_[depth].tables.size(); ++o)
      write_table(out, table_name(depth, o), loops_[depth].tables[o]);
  for (std::size_t depth = 0; depth < loops_.size(); ++depth) {
    const std::string i = variable(depth);
    out.open("for (int64_t " + i + " = 0; " + i + " < " + std::to_string(loops_[depth].count) +
             "; ++" + i + ")");
  }
}

std::string LoopNest::at(std::size_t operand) const {
  LinearText offset(starts_[operand]);
  for (std::size_t depth = 0; depth < loops_.size(); ++depth)
    if (loops_[depth].tables.empty())
      offset.add(loops_[depth].steps[operand], variable(depth));
    else
      offset.add(1, table_name(depth, operand) + "[" + variable(depth) + "]");
  return offset.text();
}

void LoopNest::close(CWriter& out) const {
  for (std::size_t depth = 0; depth < loops_.size(); ++depth) out.close();
}

}  // namespace tileplan
