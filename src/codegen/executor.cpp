// SPDX-License-Identifier: Apache-2.0
// Tasks on an OpenMP team. Exceptions may not leave a parallel region, so the first is carried out
// of it.
#include <omp.h>

#include <exception>
#include <mutex>

#include "tileplan/kernel.h"

namespace tileplan {

void run_tasks(int count, const std::function<void(int)>& task) {
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp parallel for num_threads(count) schedule(static, 1)
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

// Not hard: after that the runtime of LLVM 14 fails in a child process.
void release_threads() { omp_pause_resource_all(omp_pause_soft); }

}  // namespace tileplan
