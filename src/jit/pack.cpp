// SPDX-License-Identifier: Apache-2.0
// Fills the aligned memory of packed weights in the order of a loop tree.
#include "pack.h"

#include <algorithm>
#include <string>
#include <utility>

#include "packed_box.h"
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

/// Reads the plain weights. An access outside the tensor, such as B[k - 2, j] at k = 0, reads zero.
template <class Number>
class PlainWeights {
 public:
  PlainWeights(const Computation& computation, Dim channel, std::span<const Number> weights)
      : access_(computation.tensor(Operand::weights)),
        layout_(layout_of(computation, Operand::weights, Layout::plain)),
        channel_(channel),
        weights_(weights),
        clipped_(std::ranges::any_of(access_.data, &DataDim::clipped)) {
    Tile next;
    next[channel] = 1;
    stride_ = offset_distance(access_, layout_, next);
    for (std::size_t axis = 0; axis < access_.data.size(); ++axis)
      origin_ += access_.data[axis].offset * layout_.axes[axis].stride;
  }

  /// Copies `count` channels from iteration `at` on, and returns the end of the copy.
  Number* copy_row(Tile at, std::int64_t count, Number* to) const {
    std::int64_t offset = origin_ + offset_distance(access_, layout_, at);
    for (std::int64_t lane = 0; lane < count; ++lane, ++at[channel_], offset += stride_) {
      const bool exists = !clipped_ || is_inside(at);
      *to++ = exists ? weights_[static_cast<std::size_t>(offset)] : Number{0};
    }
    return to;
  }

 private:
  bool is_inside(const Tile& at) const {
    return std::ranges::all_of(access_.data, [&](const DataDim& data) {
      const std::int64_t index = data.offset + index_distance(data, at);
      return index >= 0 && index < data.extent;
    });
  }

  const TensorAccess& access_;
  const TensorLayout layout_;
  const Dim channel_;
  const std::span<const Number> weights_;
  const bool clipped_;
  std::int64_t origin_ = 0, stride_ = 0;
};

Tile sum_of(Tile a, const Tile& b) {
  for (std::size_t d = 0; d < a.values.size(); ++d) a.values[d] += b.values[d];
  return a;
}

}  // namespace

template <class Number>
void pack_weights(const Computation& computation, const WeightsOrder& order,
                  std::span<const Number> weights, Number* packed) {
  const PlainWeights<Number> plain(computation, order.blocked, weights);
  const std::vector<Tile> steps = points(order.loops);
  std::vector<Repeat> outer;
  for (const Dim dim : order.outer) outer.push_back({dim, computation.extent(dim), 1});
  for (Tile at : points(outer))
    for (const std::int64_t channels : order.blocks) {
      const std::int64_t real =
          std::clamp<std::int64_t>(order.extent - at[order.blocked], 0, channels);
      for (const Tile& step : steps)
        packed =
            std::fill_n(plain.copy_row(sum_of(at, step), real, packed), channels - real, Number{0});
      at[order.blocked] += channels;
    }
}

template void pack_weights(const Computation&, const WeightsOrder&, std::span<const float>, float*);
template void pack_weights(const Computation&, const WeightsOrder&, std::span<const double>,
                           double*);

Packed::Packed(std::size_t elements, std::uint64_t order, ElementType type)
    : data_(aligned_bytes(checked_bytes(elements, type)).release()),
      size_(elements),
      order_(order),
      type_(type) {}

Packed::Packed(Packed&& from) noexcept : type_(from.type_) { *this = std::move(from); }

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
