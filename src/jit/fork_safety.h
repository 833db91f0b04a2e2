// SPDX-License-Identifier: Apache-2.0
// A child of fork() has one thread, but its copy of the OpenMP runtime expects the parent's team.
#pragma once

namespace tileplan {

/// Makes all later forks of this process call release_threads(). Call this function before each
/// team of threads starts.
void release_threads_before_forks();

}  // namespace tileplan
