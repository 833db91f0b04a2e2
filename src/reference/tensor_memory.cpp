// SPDX-License-Identifier: Apache-2.0
// Elements by the plain layouts. In double: a tensor may have 2^63 - 1 elements.
#include "tensor_memory.h"

#include <iomanip>
#include <sstream>

#include "tileplan/error.h"

namespace tileplan {

namespace {

double elements(const Computation& computation, Operand operand) {
  return static_cast<double>(layout_of(computation, operand, Layout::plain).elements);
}

std::string gibibytes(double bytes) {
  constexpr double kGibi = 1 << 30;
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << bytes / kGibi << " GiB";
  return text.str();
}

}  // namespace

double tensor_bytes(const Computation& computation) {
  const auto element = static_cast<double>(computation.element_bytes());
  constexpr double kReference = sizeof(double);
  constexpr int kCopies = 2;
  return kCopies * element *
             (elements(computation, Operand::input) + elements(computation, Operand::weights)) +
         (element + kReference) * elements(computation, Operand::output);
}

void require_memory(const Computation& computation, std::size_t available) {
  const double needed = tensor_bytes(computation);
  if (available == 0 || needed <= static_cast<double>(available)) return;
  throw Error("memory: the tensors of " + to_string(computation.problem) + " take " +
              gibibytes(needed) + " (operands twice, output, reference); must fit in the " +
              gibibytes(static_cast<double>(available)) + " that are free");
}

}  // namespace tileplan
