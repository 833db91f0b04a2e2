// SPDX-License-Identifier: Apache-2.0
// This file fills aligned memory with packed weights, in the order in which a loop tree reads them,
// and sums weights for kernels that invert bits of the input.
#include "pack.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "element.h"
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

/// Reads weights in plain layout. Accesses outside the tensor, such as B[k - 2, j] at k = 0, yield
/// zero.
template <class Number>
class PlainWeights {
 public:
  PlainWeights(const WeightsPacking& packing, const char* weights)
      : access_(packing.elements.tensor(Operand::weights)),
        layout_(layout_of(packing.elements, Operand::weights, Layout::plain)),
        channel_(packing.order.blocked),
        strip_(packing.types.strip),
        weights_(reinterpret_cast<const Number*>(weights)),
        clipped_(std::ranges::any_of(access_.data, &DataDim::clipped)) {
    stride_ = step_along(channel_);
    if (strip_ > 1) {
      elements_.clear();
      strip_dim_ = strip_dim(packing.elements);
      const auto taps = joined_taps(packing.elements, packing.loops);
      const std::int64_t columns = taps ? packing.elements.extent(*taps) : 1;
      for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t c = 0; c < packing.elements.extent(*strip_dim_); ++c)
          elements_.push_back((taps ? column * step_along(*taps) : 0) +
                              c * step_along(*strip_dim_));
    }
    for (std::size_t axis = 0; axis < access_.data.size(); ++axis)
      origin_ += access_.data[axis].offset * layout_.axes[axis].stride;
  }

  /// Calls take(lane, value) for each element of the strips of `count` channels. The first channel
  /// is at iteration `at` of the loops.
  template <class Take>
  void read_row(Tile at, std::int64_t count, const Take& take) const {
    std::int64_t real = strip_, first = 0;
    if (strip_dim_) {
      first = std::exchange(at[*strip_dim_], 0) * strip_;
      real = std::min<std::int64_t>(strip_, std::ssize(elements_) - first);
    }
    const std::int64_t* const elements = elements_.data() + first;
    std::int64_t offset = origin_ + offset_distance(access_, layout_, at);
    for (std::int64_t lane = 0; lane < count; ++lane, ++at[channel_], offset += stride_) {
      const bool exists = !clipped_ || is_inside(at);
      for (std::int64_t e = 0; e < strip_; ++e)
        take(lane, exists && e < real ? weights_[offset + elements[e]] : Number{});
    }
  }

 private:
  std::int64_t step_along(Dim dim) const {
    Tile next;
    next[dim] = 1;
    return offset_distance(access_, layout_, next);
  }

  bool is_inside(const Tile& at) const {
    return std::ranges::all_of(access_.data, [&](const DataDim& data) {
      const std::int64_t index = data.offset + index_distance(data, at);
      return index >= 0 && index < data.extent;
    });
  }

  const TensorAccess& access_;
  const TensorLayout layout_;
  const Dim channel_;
  const std::int64_t strip_;
  const Number* const weights_;
  const bool clipped_;
  std::optional<Dim> strip_dim_;
  std::vector<std::int64_t> elements_{0};  ///< The elements of all strips have these offsets.
  std::int64_t origin_ = 0, stride_ = 0;
};

Tile sum_of(Tile a, const Tile& b) {
  for (std::size_t d = 0; d < a.values.size(); ++d) a.values[d] += b.values[d];
  return a;
}

/// Calls visit(at, real, channels) for each reduction step of each block, in packed order. `at` is
/// the iteration of the block's first channel in this step. The block has `channels` channels, of
/// which `real` exist.
template <class Visit>
void for_each_row(const WeightsPacking& packing, const Visit& visit) {
  const WeightsOrder& order = packing.order;
  const std::vector<Tile> steps = points(order.loops);
  for (std::int64_t group = 0; group < order.groups(); ++group)
    for (Tile at : points(order.outer)) {
      at[order.blocked] = group * order.group;
      for (const std::int64_t channels : order.group_blocks()) {
        const std::int64_t real =
            std::clamp<std::int64_t>(order.extent - at[order.blocked], 0, channels);
        for (const Tile& step : steps) visit(sum_of(at, step), real, channels);
        at[order.blocked] += channels;
      }
    }
}

/// Packs weights for AMX tiles. Each row holds 4 bytes of the strip of every channel of a vector.
template <class Number>
void pack_tiles(const WeightsPacking& packing, const char* weights, char* to) {
  constexpr std::int64_t kRowBytes = 64, kGroup = 4 / sizeof(Number);
  constexpr std::int64_t kRow = kRowBytes / sizeof(Number), kLanes = kRow / kGroup;
  const PlainWeights<Number> plain(packing, weights);
  const std::int64_t strip = packing.types.strip;
  auto* packed = reinterpret_cast<Number*>(to);
  for_each_row(packing, [&](const Tile& at, std::int64_t real, std::int64_t channels) {
    std::fill_n(packed, channels * strip, Number{});
    std::int64_t element = 0;
    plain.read_row(at, real, [&](std::int64_t lane, Number value) {
      const std::int64_t row = element / kGroup;
      packed[lane / kLanes * kLanes * strip + row * kRow + lane % kLanes * kGroup +
             element % kGroup] = value;
      element = (element + 1) % strip;
    });
    packed += channels * strip;
  });
}

template <class From, class To>
void pack_as(const WeightsPacking& packing, const char* weights, char* to) {
  const PlainWeights<From> plain(packing, weights);
  auto* packed = reinterpret_cast<To*>(to);
  for_each_row(packing, [&](const Tile& at, std::int64_t real, std::int64_t channels) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): Widening s8 to s16 must keep the sign.
    plain.read_row(at, real, [&](std::int64_t, From value) { *packed++ = static_cast<To>(value); });
    packed = std::fill_n(packed, (channels - real) * packing.types.strip, To{});
  });
}

template <class From>
void pack_from(const WeightsPacking& packing, const char* weights, char* to) {
  if constexpr (sizeof(From) <= 2)
    if (uses_tiles(packing.types.arithmetic)) return pack_tiles<From>(packing, weights, to);
  if (packing.types.weights == element_type<From>())
    return pack_as<From, From>(packing, weights, to);
  if constexpr (kIsReal<From>)
    return pack_as<From, float>(packing, weights, to);
  else
    return pack_as<From, std::int16_t>(packing, weights, to);
}

template <class Number>
std::vector<std::int32_t> sums_of(const WeightsPacking& packing, const char* weights) {
  const PlainWeights<Number> plain(packing, weights);
  const TensorLayout layout = bias_layout(packing.loops, true);
  const TensorAccess& output = packing.loops.tensor(Operand::output);
  Tile next;
  next[packing.order.blocked] = 1;
  const std::int64_t stride = offset_distance(output, layout, next);
  std::vector<std::int32_t> sums(static_cast<std::size_t>(layout.elements));
  for_each_row(packing, [&](const Tile& at, std::int64_t real, std::int64_t) {
    const std::int64_t first = offset_distance(output, layout, at);
    plain.read_row(at, real, [&](std::int64_t lane, Number value) {
      std::int32_t& sum = sums[static_cast<std::size_t>(first + lane * stride)];
      sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                      static_cast<std::uint32_t>(static_cast<std::int32_t>(value)));
    });
  });
  return sums;
}

}  // namespace

void pack_weights(const WeightsPacking& packing, const char* weights, char* packed) {
  with_element(packing.elements.tensor(Operand::weights).type,
               [&](auto zero) { pack_from<decltype(zero)>(packing, weights, packed); });
}

std::vector<std::int32_t> corrections_of(const WeightsPacking& packing, const char* weights) {
  if (!packing.types.flips_input) return {};
  // Inverting the highest bit adds this number to s8 and subtracts it from u8.
  constexpr std::uint32_t kMoved = 128;
  const bool is_signed = packing.types.input == ElementType::s8;
  std::vector<std::int32_t> sums =
      is_signed ? sums_of<std::int8_t>(packing, weights) : sums_of<std::uint8_t>(packing, weights);
  for (std::int32_t& sum : sums) {
    const std::uint32_t moved = kMoved * static_cast<std::uint32_t>(sum);
    sum = static_cast<std::int32_t>(is_signed ? 0U - moved : moved);
  }
  return sums;
}

Packed::Packed(std::size_t elements, std::uint64_t order, ElementType type) {
  reset(elements, order, type);
}

void Packed::reset(std::size_t elements, std::uint64_t order, ElementType type) {
  const std::size_t bytes = checked_bytes(elements, type);
  if (bytes > capacity_ || data_ == nullptr) {
    size_ = capacity_ = 0;
    // The old memory is freed first, because old and new memory together may not fit.
    data_.reset();
    data_.reset(aligned_bytes(bytes).release());
    capacity_ = bytes;
  }
  size_ = elements;
  order_ = order;
  type_ = type;
  corrections_.clear();
  zero_points_ = {};
}

Packed::Packed(Packed&& from) noexcept : type_(from.type_) { *this = std::move(from); }

Packed& Packed::operator=(Packed&& from) noexcept {
  if (this == &from) return *this;
  data_ = std::move(from.data_);
  size_ = std::exchange(from.size_, 0);
  capacity_ = std::exchange(from.capacity_, 0);
  order_ = std::exchange(from.order_, 0);
  type_ = from.type_;
  corrections_ = std::exchange(from.corrections_, {});
  zero_points_ = std::exchange(from.zero_points_, {});
  return *this;
}

void Packed::Free::operator()(char* memory) const { FreeAligned()(memory); }

}  // namespace tileplan
