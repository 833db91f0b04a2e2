// SPDX-License-Identifier: Apache-2.0
// The accesses determine the roles and, with the names and extents of dimensions, the isl text.
#include "product.h"

#include "isl_text.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

std::string access_text(const Computation& computation, const TensorAccess& tensor) {
  std::string list;
  for (const DataDim& data : tensor.data) {
    std::string sum = std::to_string(data.offset);
    for (const Term& term : data.terms)
      sum += " + " + std::to_string(term.coefficient) + computation.name(term.dim);
    list += (list.empty() ? "" : ",") + sum;
  }
  std::string text = box_text("S", computation.names, computation.extents);
  return text.insert(text.find(']') + 1, " -> " + tensor.name + "[" + list + "]");
}

}  // namespace

void set_roles(Computation& computation) {
  for (int d = 0; d < computation.dims(); ++d) {
    const auto is_in = [&](Operand operand) {
      return is_present(computation.tensor(operand), Dim{d});
    };
    const Role in_all_or_two = is_in(Operand::input) ? Role::batch : Role::channel;
    const Role of_output = is_in(Operand::weights) ? in_all_or_two : Role::pixel;
    computation.roles[Dim{d}] = is_in(Operand::output) ? of_output : Role::reduction;
  }
}

void derive_fields(Computation& computation) {
  computation.domain = box_text("S", computation.names, computation.extents);
  for (std::size_t i = 0; i < computation.tensors.size(); ++i)
    computation.relations[i] = access_text(computation, computation.tensors[i]);
  set_roles(computation);
}

double flops(const Computation& computation) {
  double points = computation.products;
  for (const std::int64_t extent : computation.extents) points *= static_cast<double>(extent);
  return 2 * points;
}

Dim Computation::dim(const std::string& wanted) const {
  const auto found = std::ranges::find(names, wanted);
  if (found != names.end()) return Dim{static_cast<int>(found - names.begin())};
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  throw Error("dimension " + wanted + " is unknown; must be one of " + list);
}

}  // namespace tileplan
