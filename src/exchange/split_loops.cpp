// SPDX-License-Identifier: Apache-2.0
// split_loops() visits specifiers from the innermost outwards, and counts the iterations covered so
// far.
#include "split_loops.h"

#include <algorithm>
#include <map>

#include "nest.h"

namespace tileplan {
namespace {

/// Returns the indices of `tensor`. In convolutions, the channels of activations and the output
/// channels of weights come last, except that filter taps merged into one index (rs) follow the
/// channels of the input.
std::vector<DataDim> order_indices(const Computation& computation, const TensorAccess& tensor) {
  const bool is_input = tensor == computation.tensor(Operand::input);
  std::vector<DataDim> indices = tensor.data;
  if (!std::holds_alternative<ConvShape>(computation.problem)) return indices;
  std::stable_partition(indices.begin(), indices.end(), [&](const DataDim& data) {
    if (data.terms.size() != 1) return true;
    const Role part = computation.role(data.terms.front().dim);
    return part != Role::channel && (part != Role::reduction || !is_input);
  });
  return indices;
}

}  // namespace

std::optional<std::string> why_no_splits(const Schedule& schedule, const Computation& computation) {
  for (const DataDim& data : computation.tensor(Operand::output).data)
    if (data.terms.size() != 1 || data.terms.front().coefficient != 1)
      return "an output index that is no single loop";
  if (schedule.pack_input) return "packing the input";
  if (schedule.pack_output) return "packing the output";
  if (std::ranges::any_of(schedule.loops, &Specifier::is_lambda)) return "an uneven split";
  return std::nullopt;
}

std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes) {
  const Nest nest = resolve(schedule, computation, lanes);
  std::map<std::string, std::int64_t> covered;
  std::vector<SplitLoop> loops;
  for (std::size_t i = schedule.loops.size(); i-- > 0;) {
    const Specifier& specifier = schedule.loops[i];
    const bool above = i < nest.loops.size();
    const std::int64_t inside = specifier.kind == Kind::vector ? lanes : specifier.count;
    SplitLoop loop{.kind = specifier.kind == Kind::rest ? Kind::tile : specifier.kind,
                   .dim = specifier.dim,
                   .trips = above ? nest.loops[i].trips : inside,
                   .step = covered.try_emplace(specifier.dim, 1).first->second};
    covered[specifier.dim] *= loop.trips;
    if (loop.trips > 1) loops.push_back(std::move(loop));
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor) {
  std::vector<std::string> texts;
  for (const DataDim& data : order_indices(computation, tensor)) {
    std::string text;
    for (const Term& term : data.terms) {
      if (!text.empty()) text += " + ";
      if (term.coefficient != 1) text += std::to_string(term.coefficient) + "*";
      text += computation.name(term.dim);
    }
    texts.push_back(text.empty() ? "0" : text);
  }
  return texts;
}

std::vector<std::int64_t> index_extents(const Computation& computation,
                                        const TensorAccess& tensor) {
  std::vector<std::int64_t> extents;
  for (const DataDim& data : order_indices(computation, tensor)) {
    std::int64_t last = 0;
    for (const Term& term : data.terms)
      last += term.coefficient * (computation.extent(term.dim) - 1);
    extents.push_back(last + 1);
  }
  return extents;
}

}  // namespace tileplan
