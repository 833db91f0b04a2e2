// SPDX-License-Identifier: Apache-2.0
// OpenMP threads must end before fork(), because a child has one thread, but its copy of the OpenMP
// runtime expects all threads of the parent.
#pragma once

namespace tileplan {

/// Makes all later forks of this process call release_threads(). Call this function before each
/// team of threads starts.
void release_threads_before_forks();

}  // namespace tileplan
