// SPDX-License-Identifier: Apache-2.0
// By default, convolutions have nchw if vectors hold pixels, and nhwc otherwise. Blocks of channels
// come before nhwc in the list if they fit vectors and groups.
#include "layouts.h"

#include <optional>
#include <string>

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr int kWideBlock = 16, kBlock = 8;

bool is_conv(const Computation& computation) {
  return std::holds_alternative<ConvShape>(computation.problem);
}

/// Returns nChw16c for 16 lanes and nChw8c otherwise, or nothing when vectors are too short. The
/// input is nhwc when it has fewer channels than a block. Assembled kernels need blocks of one
/// vector, and NEON code needs blocks of whole vectors.
std::optional<Layouts> blocked_layouts(const Computation& computation, const VectorUnit& unit) {
  if (unit.lanes < kBlock && unit.isa != Isa::neon) return std::nullopt;
  const bool wide = unit.lanes == kWideBlock;
  const Layout blocked = wide ? Layout::nChw16c : Layout::nChw8c;
  const auto& shape = std::get<ConvShape>(computation.problem);
  return Layouts{.in = shape.c >= (wide ? kWideBlock : kBlock) ? blocked : Layout::nhwc,
                 .out = blocked};
}

/// Returns true when a group has a whole number of channel blocks or a block has a whole number of
/// groups. Also returns true for a single group and for nhwc, which has no blocks.
bool divides_groups(const TensorAccess& tensor, Layout layout) {
  if (layout == Layout::nhwc) return true;
  const std::int64_t groups = tensor.data[1].extent, channels = tensor.data[2].extent;
  const std::int64_t block = layout == Layout::nChw16c ? kWideBlock : kBlock;
  return groups == 1 || channels % block == 0 || block % channels == 0;
}

}  // namespace

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised) {
  if (!is_conv(computation) || computation.role(vectorised) != Role::pixel)
    return layouts_of(computation, choice, unit);
  if (choice == LayoutChoice::blocked) return {};
  if (choice == LayoutChoice::nhwc) return {{.in = Layout::nhwc, .out = Layout::nhwc}};
  return {{.in = Layout::nchw, .out = Layout::nchw}};
}

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit) {
  const Layouts nhwc{.in = Layout::nhwc, .out = Layout::nhwc};
  if (!is_conv(computation)) {
    if (choice != LayoutChoice::any)
      throw Error("layout: only convolutions have nhwc, nchw and blocked layouts; must be any");
    return {{.in = Layout::plain, .out = Layout::plain}};
  }
  if (choice == LayoutChoice::nhwc) return {nhwc};
  if (choice == LayoutChoice::nchw) return {{.in = Layout::nchw, .out = Layout::nchw}};
  const std::optional<Layouts> blocked = blocked_layouts(computation, unit);
  if (choice == LayoutChoice::blocked) {
    if (!blocked)
      throw Error("layout: blocked, but vectors are of " + std::to_string(unit.lanes) + " " +
                  to_string(unit.element) +
                  "; blocks are of 8 or 16 channels and must be one vector");
    // layout_of() throws Error when blocks cut groups. If blocks do not hold the strips of the
    // input (strips.h), the loops read a copy in another layout.
    if (holds_strips(blocked->in, computation.tensor(Operand::input)))
      layout_of(computation, Operand::input, blocked->in);
    layout_of(computation, Operand::output, blocked->out);
    return {*blocked};
  }
  if (!blocked || !divides_groups(computation.tensor(Operand::input), blocked->in) ||
      !divides_groups(computation.tensor(Operand::output), blocked->out))
    return {nhwc};
  return {*blocked, nhwc};
}

bool has_layouts(const Computation& computation, LayoutChoice choice, const VectorUnit& unit) {
  return choice != LayoutChoice::blocked || blocked_layouts(computation, unit).has_value();
}

}  // namespace tileplan
