// SPDX-License-Identifier: Apache-2.0
// Packed weights own aligned memory.
#include <cstdint>
#include <string>
#include <utility>

#include "scratch.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

namespace tileplan {
namespace {

std::size_t checked_bytes(std::size_t elements, ElementType type) {
  const auto each = static_cast<std::size_t>(bytes_of(type));
  if (elements > static_cast<std::size_t>(INT64_MAX) / each)
    throw Error("packed weights: " + std::to_string(elements) + " elements of " + to_string(type) +
                "; must have at most 2^63 - 1 bytes");
  return elements * each;
}

}  // namespace

Packed::Packed(std::size_t elements, std::uint64_t order, ElementType type)
    : data_(aligned_bytes(checked_bytes(elements, type)).release()),
      size_(elements),
      order_(order),
      type_(type) {}

Packed::Packed(Packed&& from) noexcept
    : data_(std::move(from.data_)),
      size_(std::exchange(from.size_, 0)),
      order_(std::exchange(from.order_, 0)),
      type_(from.type_) {}

Packed& Packed::operator=(Packed&& from) noexcept {
  if (this == &from) return *this;
  data_ = std::move(from.data_);
  size_ = std::exchange(from.size_, 0);
  order_ = std::exchange(from.order_, 0);
  type_ = from.type_;
  return *this;
}

void Packed::Free::operator()(char* memory) const { FreeAligned()(memory); }

}  // namespace tileplan
