// SPDX-License-Identifier: Apache-2.0
// This file makes strips of single elements in registers. Loads insert 16 elements of each of up to
// four rows, and a permutation moves the elements of a strip together. Where no permutation can do
// this, elements are widened, shifted and combined. Elements of bf16 or f16 that are multiplied as
// f32 are widened, and each becomes a strip.
#include <algorithm>
#include <set>
#include <utility>

#include "microkernel_assembler.h"
#include "tap_strips.h"

namespace tileplan {
namespace {

/// Divides the reduction steps into groups of up to `most` steps whose inputs are `apart` bytes
/// apart. A group lists the indices of its steps.
std::vector<std::vector<std::size_t>> chain_steps(const std::vector<UnrolledStep>& steps,
                                                  std::int64_t apart, std::size_t most) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> taken(steps.size());
  for (std::size_t first = 0; first < steps.size(); ++first) {
    if (taken[first]) continue;
    std::vector<std::size_t>& group = groups.emplace_back();
    std::int64_t next = steps[first].input;
    for (std::size_t i = first; i < steps.size() && group.size() < most; ++i) {
      if (taken[i] || steps[i].input != next) continue;
      taken[i] = true;
      group.push_back(i);
      next += apart;
    }
  }
  return groups;
}

TapStrips strips_of(std::vector<std::vector<std::size_t>> groups,
                    const std::vector<UnrolledStep>& steps, const std::vector<std::int64_t>& pixels,
                    bool counts_padding) {
  TapStrips result;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      TapStrips::Sources sources;
      sources.fill(TapStrips::kNone);
      bool is_read = counts_padding;
      for (std::size_t j = 0; j < groups[g].size(); ++j) {
        const UnrolledStep& step = steps[groups[g][j]];
        if ((step.pixels >> p & 1U) == 0) continue;
        sources[j] = step.input + pixels[p];
        is_read = true;
      }
      if (is_read) result.strips[sources].push_back({p, g});
    }
  result.groups = std::move(groups);
  return result;
}

}  // namespace

TapStrips join_taps(const std::vector<UnrolledStep>& steps, const std::vector<std::int64_t>& pixels,
                    std::size_t most, bool counts_padding) {
  std::set<std::int64_t> distances{1};
  for (const UnrolledStep& step : steps) distances.insert(step.input - steps.front().input);
  distances.erase(0);
  TapStrips best;
  for (const std::int64_t apart : distances) {
    TapStrips next = strips_of(chain_steps(steps, apart, most), steps, pixels, counts_padding);
    const bool is_first = best.groups.empty();
    if (is_first || next.strips.size() < best.strips.size()) best = std::move(next);
  }
  return best;
}

/// Assembles reduction steps. The registers after those of the sums hold a strip, then the order of
/// its elements (or one more row of elements), then weights.
class TapAssembler {
 public:
  explicit TapAssembler(MicrokernelAssembler& code) : code_(code), spec_(code.spec_) {}

  // If the weights of all groups do not fit in the free registers, further passes over the strips
  // multiply the remaining groups.
  void emit(const std::vector<UnrolledStep>& steps) {
    const TapStrips taps =
        join_taps(steps, spec_.input_offsets, taps_per_strip(), spec_.product.counts_padding);
    const auto room = static_cast<std::size_t>(registers_of(spec_.isa) - weight(0).getIdx());
    for (int v = 0; v < spec_.vectors; ++v) {
      if (is_permuted(v)) code_.vmovups(order(), code_.ptr[code_.rip + code_.order_]);
      for (std::size_t first = 0; first < taps.groups.size(); first += room) {
        const std::size_t last = std::min(first + room, taps.groups.size());
        for (std::size_t g = first; g < last; ++g)
          join_weights(weight(g - first), steps, taps.groups[g], v);
        for (const auto& [sources, uses] : taps.strips) multiply(sources, uses, {first, last}, v);
      }
    }
  }

  // Emits the permutation that interleaves the loaded rows: element j of row r becomes element r of
  // strip j.
  void emit_order() {
    constexpr int kStrips = 16;
    code_.align(static_cast<std::size_t>(code_.vector_bytes()));
    code_.L(code_.order_);
    const int rows = static_cast<int>(taps_per_strip());
    for (int j = 0; j < kStrips; ++j)
      for (int r = 0; r < rows; ++r)
        code_.is_bytes() ? code_.db(r * kStrips + j)
                         : code_.dw(static_cast<std::uint32_t>(r * kStrips + j));
  }

 private:
  /// Selects groups [first, last).
  struct Groups {
    std::size_t first = 0, last = 0;
  };

  Xbyak::Xmm strip() const { return code_.vreg(code_.pixels() * spec_.vectors); }
  Xbyak::Xmm order() const { return code_.vreg(strip().getIdx() + 1); }
  Xbyak::Xmm weight(std::size_t group) const {
    return code_.vreg(strip().getIdx() + 2 + static_cast<int>(group));
  }
  bool is_widened() const { return spec_.product.arithmetic == Arithmetic::widened_fma; }
  std::size_t taps_per_strip() const {
    if (is_widened()) return 1;
    return code_.is_bytes() ? TapStrips::kMost : 2;
  }
  std::uint8_t bits(std::size_t elements) const {
    return static_cast<std::uint8_t>(elements * (code_.is_bytes() ? 8 : 16));
  }
  bool is_masked(int v) const {
    return spec_.input_vectors.tail_lanes > 0 && v + 1 == spec_.vectors;
  }
  /// Returns true when one permutation makes 16 strips. This needs whole vectors of 64 bytes and,
  /// for bytes, AVX512_VBMI.
  bool is_permuted(int v) const {
    constexpr int kWidest = 64;
    if (is_widened() || is_masked(v) || code_.vector_bytes() != kWidest) return false;
    return !code_.is_bytes() || __builtin_cpu_supports("avx512vbmi") != 0;
  }

  // Each loaded weight is a strip with zeros after the first element.
  void join_weights(const Xbyak::Xmm& to, const std::vector<UnrolledStep>& steps,
                    const std::vector<std::size_t>& group, int v) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      const Xbyak::Address from = code_.weights_address(steps[group[j]], v * code_.vector_bytes());
      if (j == 0) {
        code_.vmovups(to, from);
        continue;
      }
      code_.vpslld(strip(), from, bits(j));
      code_.vpord(to, to, strip());
    }
  }

  void multiply(const TapStrips::Sources& sources, const std::vector<TapStrips::Use>& uses,
                Groups groups, int v) {
    const auto is_now = [&](const TapStrips::Use& use) {
      return use.group >= groups.first && use.group < groups.last;
    };
    if (std::ranges::none_of(uses, is_now)) return;
    is_permuted(v) ? permute(sources, v) : shift(sources, v);
    if (spec_.product.flip != 0)
      code_.vpxord(strip(), strip(), code_.ptr_b[code_.rip + code_.flip_]);
    for (const TapStrips::Use& use : uses)
      if (is_now(use))
        code_.multiply_add(code_.accumulator(static_cast<int>(use.pixel), v),
                           weight(use.group - groups.first), strip());
  }

  Xbyak::Address address(std::int64_t source, int v) const {
    return code_.ptr[code_.input_now_ +
                     static_cast<int>(source - code_.bias_ + v * spec_.input_vectors.stride)];
  }

  // Loads one element of each strip into the low bits of the strip, and zeros elsewhere. A widened
  // element of bf16 or f16 fills the whole strip.
  void load(const Xbyak::Xmm& to, std::int64_t source, int v) {
    const Xbyak::Xmm target = is_masked(v) ? to | code_.k1 | code_.T_z : to;
    if (spec_.product.single == ElementType::f16)
      return code_.vcvtph2ps(target, address(source, v));
    code_.is_bytes() ? code_.vpmovzxbd(target, address(source, v))
                     : code_.vpmovzxwd(target, address(source, v));
    constexpr std::uint8_t kHalfBits = 16;
    if (is_widened()) code_.vpslld(to, to, kHalfBits);
  }

  void permute(const TapStrips::Sources& sources, int v) {
    const auto is_zero = [](std::int64_t source) { return source == TapStrips::kNone; };
    const auto others = std::ranges::count_if(sources.begin() + 1, sources.end(), is_zero);
    const bool has_first = !is_zero(sources[0]);
    const bool has_others = others + 1 < std::ssize(sources);
    if (has_first && !has_others) return load(strip(), sources[0], v);
    const Xbyak::Zmm whole(strip().getIdx());
    if (!has_first)
      code_.vpxord(whole, whole, whole);
    else if (code_.is_bytes())
      code_.vmovdqu32(Xbyak::Xmm(strip().getIdx()), address(sources[0], v));
    else
      code_.vmovdqu32(Xbyak::Ymm(strip().getIdx()), address(sources[0], v));
    if (!has_others) return;
    for (std::size_t j = 1; j < sources.size(); ++j) {
      if (is_zero(sources[j])) continue;
      const Xbyak::Address from = address(sources[j], v);
      code_.is_bytes() ? code_.vinserti32x4(whole, whole, from, static_cast<std::uint8_t>(j))
                       : code_.vinserti64x4(whole, whole, from, static_cast<std::uint8_t>(j));
    }
    code_.is_bytes() ? code_.vpermb(whole, order(), whole) : code_.vpermw(whole, order(), whole);
  }

  void shift(const TapStrips::Sources& sources, int v) {
    bool is_first = true;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      if (sources[j] == TapStrips::kNone) continue;
      const Xbyak::Xmm to = is_first ? strip() : order();
      load(to, sources[j], v);
      if (j > 0) code_.vpslld(to, to, bits(j));
      if (!is_first) code_.vpord(strip(), strip(), order());
      is_first = false;
    }
    if (is_first) code_.vpxord(strip(), strip(), strip());
  }

  MicrokernelAssembler& code_;
  const MicrokernelSpec& spec_;
};

void MicrokernelAssembler::emit_taps(const std::vector<UnrolledStep>& steps) {
  TapAssembler(*this).emit(steps);
}

void MicrokernelAssembler::emit_strip_order() { TapAssembler(*this).emit_order(); }

}  // namespace tileplan
