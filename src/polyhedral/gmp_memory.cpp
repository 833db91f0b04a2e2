// SPDX-License-Identifier: Apache-2.0
// GMP takes the functions that allocate its memory.
#include "tileplan/gmp_memory.h"

#include <gmp.h>

#include <cstdlib>
#include <new>

namespace tileplan {
namespace {

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void let_gmp_throw() {
  mp_set_memory_functions(
      [](std::size_t size) { return checked(std::malloc(size)); },
      [](void* old, std::size_t, std::size_t size) { return checked(std::realloc(old, size)); },
      [](void* memory, std::size_t) { std::free(memory); });
}

}  // namespace tileplan
