// SPDX-License-Identifier: Apache-2.0
// This file runs tasks on an OpenMP team. The first std::exception that a task throws is thrown
// again after the parallel region. This file also ends the OpenMP threads before forks.
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>

#include "fork_safety.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

namespace tileplan {

// Limits the threads of a team, because OpenMP runtimes end the process when they cannot start the
// requested number of threads.
constexpr int kMostThreads = 1024;

void run_tasks(int count, const std::function<void(int)>& task) {
  if (count < 0) throw Error("tasks: " + std::to_string(count) + "; must be at least 0");
  if (!task) throw Error("tasks: the function is empty; must be callable");
  if (count == 0) return;
  if (count > 1) release_threads_before_forks();
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp parallel for num_threads(std::min(count, kMostThreads)) schedule(static, 1)
  for (int i = 0; i < count; ++i) {
    try {
      task(i);
    } catch (const std::exception&) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// The threads are released softly, because omp_pause_hard breaks the OpenMP runtime of LLVM 14 in
// child processes.
void release_threads() { omp_pause_resource_all(omp_pause_soft); }

void release_threads_before_forks() {
  [[maybe_unused]] static const int status = pthread_atfork(release_threads, nullptr, nullptr);
}

}  // namespace tileplan
