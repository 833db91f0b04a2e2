// SPDX-License-Identifier: Apache-2.0
// A child of fork() has one thread, but the OpenMP runtime in it remembers those of its parent.
#pragma once

namespace tileplan {

/// Makes later forks of this process call release_threads() first. Call it before each team starts.
void release_threads_before_forks();

}  // namespace tileplan
