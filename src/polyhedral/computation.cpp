// SPDX-License-Identifier: Apache-2.0
// This file reads isl text into checked coefficients. Problems of every kind are read in this way.
#include "computation.h"

#include <algorithm>
#include <utility>

#include "integers.h"
#include "isl_limits.h"
#include "isl_read.h"
#include "isl_text.h"
#include "shortened.h"
#include "tensor_limit.h"
#include "unit_dim.h"

namespace tileplan {
namespace {

void check_count(const std::vector<Access>& accesses, const char* what, std::size_t count) {
  if (accesses.size() == count) return;
  std::string list;
  for (const Access& access : accesses) list += (list.empty() ? "" : ", ") + access.tensor.name;
  refuse(std::string(what) + " names " + std::to_string(accesses.size()) + " tensors (" + list +
         "); must be exactly " + std::to_string(count));
}

/// Throws Error unless each index of the output is one iterator or 0, and at least one of them is
/// an iterator. The loops then write every output element, and no two iterations of the output's
/// loops write the same element.
void check_output(const TensorAccess& tensor) {
  if (std::ranges::all_of(tensor.data, &std::vector<Term>::empty, &DataDim::terms))
    refuse("the written " + tensor.name + " depends on no iterator; must on at least one");
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    const DataDim& data = tensor.data[i];
    const bool plain =
        data.offset == 0 &&
        (data.terms.empty() || (data.terms.size() == 1 && data.terms.front().coefficient == 1));
    if (!plain)
      refuse("index " + std::to_string(i) + " of the written " + tensor.name +
             " is an expression; must be one iterator or 0");
  }
}

void check_product(const Computation& computation) {
  const TensorAccess& left = computation.tensor(Operand::input);
  const TensorAccess& right = computation.tensor(Operand::weights);
  const TensorAccess& out = computation.tensor(Operand::output);
  if (out.name == left.name || out.name == right.name)
    refuse(out.name + " is both read and written; must be different tensors");
  check_output(out);
  for (int i = 0; i < computation.dims(); ++i)
    if (!is_present(left, Dim{i}) && !is_present(right, Dim{i}))
      refuse(computation.name(Dim{i}) + " occurs in no read; must");
}

/// Returns true when `a` can be the weights: of the two reads, only `a` has the iterator of the
/// output's last index, and an index of `a` is this iterator plus a constant. Vectors along this
/// iterator are contiguous in the output.
bool is_vectorisable(const TensorAccess& a, const TensorAccess& b, const TensorAccess& out) {
  if (out.data.empty() || out.data.back().terms.empty()) return false;
  const Dim dim = out.data.back().terms.front().dim;
  return !is_present(b, dim) && std::ranges::any_of(a.data, [&](const DataDim& data) {
    return data.terms == std::vector<Term>{{dim, 1}};
  });
}

/// Sets the stored sizes of a tensor, unless `extents` is empty. Values of an index outside these
/// sizes are padding.
void set_stored_extents(TensorAccess& tensor, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    DataDim& data = tensor.data[i];
    data.clipped = data.clipped || data.extent > extents[i];
    data.extent = extents[i];
  }
}

void check_sizes(const TensorAccess& tensor, std::int64_t bytes) {
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    const std::int64_t extent = tensor.data[i].extent;
    if (extent < 1)
      refuse("index " + std::to_string(i) + " of " + tensor.name + " ends at " +
             std::to_string(extent - 1) + "; must reach 0");
    if (multiply_overflows(bytes, extent, bytes) || bytes > kMostTensorBytes)
      refuse(tensor.name + " has more than 2^57 bytes; must not");
  }
}

void check_operations(const std::vector<std::int64_t>& extents) {
  std::int64_t operations = 2;
  std::string text(1, '2');
  bool overflows = false;
  for (const std::int64_t extent : extents) {
    overflows = multiply_overflows(operations, extent, operations) || overflows;
    text.append(" * ").append(std::to_string(extent));
  }
  if (overflows) refuse("operations are " + text + "; must be at most 2^63 - 1");
}

/// Returns the two reads and the write of `text` in the order of Operand.
std::vector<Access> read_operands(const IslContext& context, const Relation& text,
                                  const Domain& domain) {
  std::vector<Access> accesses = read_accesses(context, "reads", text.reads, domain);
  check_operations(domain.extents);
  check_count(accesses, "reads", 2);
  std::vector<Access> written = read_accesses(context, "writes", text.writes, domain);
  check_count(written, "writes", 1);
  if (is_vectorisable(accesses[0].tensor, accesses[1].tensor, written[0].tensor))
    std::swap(accesses[0], accesses[1]);
  written[0].tensor.transfers = 2;
  accesses.push_back(std::move(written[0]));
  return accesses;
}

Computation read_computation(const Problem& problem) {
  const IslContext context(kMostIslOperations);
  const Relation text = relation_text(problem);
  Domain domain = read_domain(context, text.domain);
  std::vector<Access> accesses = read_operands(context, text, domain);
  set_stored_extents(accesses[0].tensor, stored_input_extents(problem));

  Computation computation{.names = std::move(domain.names),
                          .extents = std::move(domain.extents),
                          .domain = to_text(domain.set),
                          .problem = problem};
  const TensorTypes types = types_of(problem);
  accesses[0].tensor.type = types.input;
  accesses[1].tensor.type = types.weights;
  accesses[2].tensor.type = types.output;
  for (Access& access : accesses) {
    check_sizes(access.tensor, access.tensor.element_bytes());
    computation.tensors.push_back(access.tensor);
    computation.relations.push_back(to_text(access.map));
  }
  set_roles(computation);
  check_product(computation);
  return std::holds_alternative<Relation>(problem) ? add_unit_dim(std::move(computation))
                                                   : computation;
}

}  // namespace

Computation computation_of(const Problem& problem) {
  try {
    return read_computation(problem);
  } catch (const isl::exception_quota&) {
    refuse(shortened(to_string(problem)) + kTooManyOperations);
  } catch (const isl::exception& error) {
    refuse(shortened(to_string(problem)) + " is beyond isl (" + words_of(error) + ")");
  }
}

std::vector<std::int64_t> count_values(const Computation& computation, Operand operand,
                                       std::size_t data, const std::vector<Tile>& boxes) {
  const IslContext context;
  const isl::map access(context.get(), computation.relations[static_cast<std::size_t>(operand)]);
  const isl::map index = access.as_pw_multi_aff().at(static_cast<int>(data)).as_map();
  const isl::set domain = access.domain();
  std::vector<std::int64_t> counts;
  for (const Tile& box : boxes) {
    const std::vector<std::int64_t> size(box.values.begin(),
                                         box.values.begin() + computation.dims());
    const std::vector<std::int64_t> lower(size.size(), 0);
    counts.push_back(count_points(within_box(domain, lower, size).apply(index)));
  }
  return counts;
}

}  // namespace tileplan
