// SPDX-License-Identifier: Apache-2.0
// The rules use the loops, the roles of their dimensions, the accesses to the tensors and whether
// the input is packed. No rule depends on the instruction set.
#include "nest_rules.h"

#include <string>

#include "branches.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

void check_lambdas(const Computation& computation, const Nest& nest) {
  for (const NestLoop& loop : nest.loops)
    if (loop.is_lambda() && computation.role(loop.dim) == Role::reduction)
      throw Error("schedule: L of " + computation.name(loop.dim) +
                  ", which is summed over; kernels have L of dims of the output");
}

/// Throws Error when a register tile has several iterations of a batch or channel dimension other
/// than the vectorised one and weights_dim(), which is a channel dimension if vectors hold pixels.
void check_unrolled(const Computation& computation, const Nest& nest) {
  const Dim blocked = weights_dim(computation, nest.vectorised);
  for (const Branch& branch : branches_of(nest))
    for (int d = 0; d < computation.dims(); ++d) {
      if (Dim{d} == nest.vectorised || Dim{d} == blocked) continue;
      const Role part = computation.role(Dim{d});
      const std::int64_t size = branch.nest.base[Dim{d}];
      if ((part == Role::batch || part == Role::channel) && size != 1)
        throw Error("schedule: " + computation.name(Dim{d}) + " is unrolled " +
                    std::to_string(size) +
                    " times; only rows of the output and the vectorised dim can be");
    }
}

/// Throws Error unless the weights or the input, from which vectors are loaded, have the vectorised
/// dimension. An output dimension of one pixel can be missing in both when the input merges it with
/// another dimension.
void check_vectorised(const Computation& computation, const Nest& nest) {
  for (const Operand operand : {Operand::input, Operand::weights})
    if (is_present(computation.tensor(operand), nest.vectorised)) return;
  const std::string& name = computation.name(nest.vectorised);
  throw Error("schedule: V(" + name + "), but neither the input nor the weights depend on " + name);
}

/// Throws Error when vectors of pixels cross the border of the input. They then read zeros, which
/// only packed boxes hold.
void check_padding(const Computation& computation, const Nest& nest) {
  if (!reads_padding_along(computation.tensor(Operand::input), nest.vectorised)) return;
  const std::string& name = computation.name(nest.vectorised);
  throw Error("schedule: V(" + name + ") reads padding along " + name +
              "; the input must be packed (pack=in@POS)");
}

}  // namespace

void check_nest(const Computation& computation, const Nest& nest, bool packed) {
  check_lambdas(computation, nest);
  check_vectorised(computation, nest);
  check_unrolled(computation, nest);
  if (!packed) check_padding(computation, nest);
}

}  // namespace tileplan
