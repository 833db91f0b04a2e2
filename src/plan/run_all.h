// SPDX-License-Identifier: Apache-2.0
// This file shares independent tasks among all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "tileplan/kernel.h"

namespace tileplan {

/// One thread at a time calls this function with the numbers of finished tasks and of all tasks.
using CountDone = std::function<void(int done, int all)>;

/// Runs task(0) to task(count - 1) on all cores, and calls `progress`, which may be empty, after
/// each task. Requires count >= 1.
inline void run_all(std::size_t count, const CountDone& progress,
                    const std::function<void(std::size_t)>& task) {
  const auto cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, count);
  std::atomic<std::size_t> next = 0;
  std::mutex counting;
  int done = 0;
  run_tasks(static_cast<int>(cores), [&](int) {
    for (std::size_t i = next++; i < count; i = next++) {
      task(i);
      if (!progress) continue;
      const std::lock_guard lock(counting);
      progress(++done, static_cast<int>(count));
    }
  });
}

}  // namespace tileplan
