// SPDX-License-Identifier: Apache-2.0
// This file allocates memory between inaccessible pages. An access to one of these pages ends the
// process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>

#include "tileplan/problem.h"

namespace tileplan::test {

enum class Flush { start, end };

/// Holds numbers that begin `shift` elements after an inaccessible page (Flush::start) or end right
/// before one (Flush::end). All bytes between the two pages are 0xff at first. Throws
/// std::runtime_error when the memory cannot be mapped or made writable.
class Guarded {
 public:
  Guarded(std::size_t elements, Flush flush, ElementType type = ElementType::f32,
          std::size_t shift = 0)
      : elements_(elements) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t skipped = shift * static_cast<std::size_t>(bytes_of(type));
    const std::size_t bytes = skipped + elements * static_cast<std::size_t>(bytes_of(type));
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    void* pages = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("mmap failed");
    pages_ = static_cast<char*>(pages);
    if (mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("mprotect failed");
    // With these bytes, an element of any floating-point type is NaN.
    std::memset(pages_ + page, 0xff, inner);
    begin_ = pages_ + page + skipped + (flush == Flush::end ? inner - bytes : 0);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(pages_, size_); }

  /// Returns the numbers, which this object owns. Requires that Number is the C++ type of the
  /// ElementType that the constructor took.
  template <class Number>
  std::span<Number> numbers() const {
    return {reinterpret_cast<Number*>(begin_), elements_};
  }
  char* bytes() const { return begin_; }

 private:
  char* pages_ = nullptr;
  std::size_t size_ = 0;
  char* begin_ = nullptr;
  std::size_t elements_ = 0;
};

}  // namespace tileplan::test
