// SPDX-License-Identifier: Apache-2.0
// This file allocates memory in huge pages, which save most misses of the TLB.
#pragma once

#include <cstddef>

namespace tileplan {

/// Returns uninitialised memory that is aligned to a cache line. Pieces of 16 KiB and more lie in
/// huge pages where the system has them; the end of a piece of more than 4 MiB may lie in small
/// pages. The caller frees the memory with free_in_huge_pages(). Throws std::bad_alloc when there
/// is no memory.
char* allocate_in_huge_pages(std::size_t bytes);

/// Frees memory of allocate_in_huge_pages(), or nothing for a null pointer.
void free_in_huge_pages(char* memory) noexcept;

}  // namespace tileplan
