// SPDX-License-Identifier: Apache-2.0
// GMP, which holds isl's numbers, ends the process when its own functions get no memory. It is
// given functions that throw std::bad_alloc instead.
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
