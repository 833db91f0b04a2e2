// SPDX-License-Identifier: Apache-2.0
// This file adds the sizes of tensors as double, which cannot overflow and is precise enough to
// compare them with the free memory.
#include "tensor_memory.h"

#include <iomanip>
#include <sstream>

#include "tileplan/error.h"

namespace tileplan {
namespace {

std::string gibibytes(double bytes) {
  constexpr double kGibi = 1 << 30;
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << bytes / kGibi << " GiB";
  return text.str();
}

}  // namespace

double tensor_bytes(const Computation& computation) {
  constexpr double kReference = sizeof(double);
  double bytes = 0;
  for (const Operand operand : {Operand::input, Operand::weights, Operand::output}) {
    const auto element = static_cast<double>(computation.tensor(operand).element_bytes());
    const double copies = operand == Operand::output ? element + kReference : 2 * element;
    bytes += copies * static_cast<double>(layout_of(computation, operand, Layout::plain).elements);
  }
  return bytes;
}

void require_memory(const Computation& computation, std::size_t available) {
  const double needed = tensor_bytes(computation);
  if (available == 0 || needed <= static_cast<double>(available)) return;
  throw Error("memory: the tensors of " + to_string(computation.problem) + " take " +
              gibibytes(needed) + " (operands twice, output, reference); must fit in the " +
              gibibytes(static_cast<double>(available)) + " that are free");
}

}  // namespace tileplan
