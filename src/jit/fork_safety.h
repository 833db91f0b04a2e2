// SPDX-License-Identifier: Apache-2.0
// OpenMP threads must end before fork(), because a child has one thread, but its copy of the OpenMP
// runtime expects all threads of the parent.
#pragma once

namespace tileplan {

/// Makes all later forks of this process end the threads of OpenMP first. Call this function before
/// each start of a team of threads; only the first call has an effect.
void release_threads_before_forks();

}  // namespace tileplan
