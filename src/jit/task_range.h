// SPDX-License-Identifier: Apache-2.0
// This file divides work among tasks that run at once.
#pragma once

#include <cstdint>

namespace tileplan {

/// Holds items [first, last) of a list, such as the iterations of all parallel loops, which are
/// counted as one collapsed loop.
struct TaskRange {
  std::int64_t first = 0, last = 0;
};

/// Returns the items of `task` when `tasks` tasks divide `all` items into parts that differ by at
/// most one item. Requires 0 <= task < tasks.
inline TaskRange task_share(std::int64_t all, int task, int tasks) {
  return {.first = all * task / tasks, .last = all * (task + 1) / tasks};
}

}  // namespace tileplan
