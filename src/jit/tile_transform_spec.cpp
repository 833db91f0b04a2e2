// SPDX-License-Identifier: Apache-2.0
// This file bounds the size of the code of a transform, and finds the elements that it prefetches.
#include "tile_transform_spec.h"

#include "activation_code.h"
#include "executable.h"
#include "microkernel_spec.h"

namespace tileplan {
namespace {

constexpr std::size_t kInstruction = 12;  // An instruction has at most this many bytes.
// The epilogue of an output takes at most this many instructions, without those of an activation.
constexpr std::size_t kEpilogue = 19;

}  // namespace

bool is_copy(const StraightLineProgram& program) {
  return program.inputs == 1 && program.lines.empty() && program.outputs == std::vector<int>{0};
}

std::size_t code_size(const TileTransformSpec& spec) {
  const std::size_t each = kEpilogue + ActivationCode::most_instructions(spec.epilogue.activation);
  const auto pass = [&](const StraightLineProgram& program) {
    return (static_cast<std::size_t>(program.inputs) + 2 * program.lines.size() +
            each * program.outputs.size()) *
           kInstruction;
  };
  const auto columns = static_cast<std::size_t>(spec.width.inputs);
  const std::size_t constants =
      spec.height.lines.size() + spec.width.lines.size() + 6 + ActivationCode::kMostConstants;
  const std::size_t bytes =
      prefetched_elements(spec).size() * kInstruction + columns * pass(spec.height) +
      spec.height.outputs.size() * pass(spec.width) +
      constants * static_cast<std::size_t>(vector_bytes_of(spec.isa)) + kPageBytes;
  return whole_pages(bytes);
}

std::vector<int> prefetched_elements(const TileTransformSpec& spec) {
  if (spec.next_tile == 0) return {};
  const bool is_input = spec.prefetched == Operand::input;
  const TileAccess& access = is_input ? spec.in : spec.out;
  const auto count = [&](const StraightLineProgram& program) {
    return is_input ? program.inputs : static_cast<int>(program.outputs.size());
  };
  const int rows = count(spec.height), columns = count(spec.width);
  const std::int64_t shared = is_input ? columns - spec.next_tile / access.strides.column : 0;
  std::vector<int> elements;
  for (int row = 0; row < rows; ++row)
    for (int column = static_cast<int>(shared); column < columns; ++column)
      if (access.window.contains(row, column))
        elements.push_back(static_cast<int>(spec.next_tile + row * access.strides.row +
                                            column * access.strides.column));
  return elements;
}

}  // namespace tileplan
