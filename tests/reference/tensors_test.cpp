// SPDX-License-Identifier: Apache-2.0
// This test checks that copies between layouts write every element and nothing else.
#include "tensors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "reader.h"

using namespace tileplan;

namespace {

Buffer moved(const Computation& computation, const Buffer& buffer, Layout from, Layout to) {
  return relayout(computation.tensors[2], layout_of(computation, Operand::output, from), buffer,
                  layout_of(computation, Operand::output, to));
}

/// Counts the elements of `buffer` that differ from their row-major index plus 1. The buffer has
/// the layout `layout`.
std::int64_t misplaced(const Computation& computation, const Buffer& buffer, Layout layout) {
  const TensorAccess& output = computation.tensors[2];
  const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
  const TensorLayout places = layout_of(computation, Operand::output, layout);
  std::int64_t count = 0;
  Tile point;
  do {
    const auto at = element_index(output, places, point);
    const auto number = static_cast<float>(element_index(output, plain, point) + 1);
    if (buffer.span<float>()[at] != number) ++count;
  } while (advance(computation, output_dims(computation), point));
  return count;
}

std::int64_t zeros(const Buffer& buffer) {
  return std::count(buffer.span<float>().begin(), buffer.span<float>().end(), 0.0F);
}

}  // namespace

TEST_CASE("relayout: elements keep their places among the indices, padding of blocks is zero") {
  const Layout layouts[] = {Layout::plain, Layout::nhwc, Layout::nchw, Layout::nChw16c};
  // In the first shape, 21 channels and 17 x 35 pixels are no multiples of the blocks or of the
  // squares in which a copy proceeds.
  for (const char* text : {"mb2ic3ih17iw35oc21oh17ow35kh1ph0", "mb1ic3ih1iw40oc16oh1ow40kh1ph0"}) {
    const Computation computation = computation_of(parse_problem(text));
    const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
    Buffer numbered(static_cast<std::size_t>(plain.elements), ElementType::f32);
    std::iota(numbered.span<float>().begin(), numbered.span<float>().end(), 1.0F);
    for (const Layout from : layouts) {
      const Buffer source = moved(computation, numbered, Layout::plain, from);
      for (const Layout to : layouts) {
        CAPTURE(to_string(from) + " to " + to_string(to) + " of " + text);
        const Buffer target = moved(computation, source, from, to);
        CHECK(misplaced(computation, target, to) == 0);
        CHECK(zeros(target) == static_cast<std::int64_t>(target.size()) - plain.elements);
      }
    }
  }
}
