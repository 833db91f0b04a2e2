// SPDX-License-Identifier: Apache-2.0
// This file writes a schedule, its problem and the machine as ZigZag's mapping, workload and
// accelerator.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "split_loops.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kBitsPerByte = 8;
/// These are ZigZag's names of the operands, in the order of Computation::tensors.
constexpr std::array kOperandNames{"I", "W", "O"};

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Returns the name of the dimension that is the index `data`, or nothing if the index is constant,
/// multiplies a dimension or adds several. Dimensions of one iteration do not count. If all
/// dimensions of the index have one iteration, returns the name of the first dimension.
std::optional<std::string> plain_index(const Computation& computation, const DataDim& data) {
  std::vector<Term> long_terms;
  for (const Term& term : data.terms)
    if (computation.extent(term.dim) > 1) long_terms.push_back(term);
  if (long_terms.empty() && !data.terms.empty()) return computation.name(data.terms.front().dim);
  if (long_terms.size() != 1 || long_terms.front().coefficient != 1) return std::nullopt;
  return computation.name(long_terms.front().dim);
}

/// Writes the equation of a computation, and a relation for each index that combines two
/// dimensions.
class Equation {
 public:
  explicit Equation(const Computation& computation) : computation_(computation) {
    const auto& tensors = computation.tensors;
    text_ = operand(2, tensors[2]) + "+=" + operand(0, tensors[0]) + "*" + operand(1, tensors[1]);
  }

  const std::string& text() const { return text_; }
  const std::vector<std::string>& relations() const { return relations_; }

 private:
  std::string operand(std::size_t place, const TensorAccess& tensor) {
    std::string text = kOperandNames[place];
    for (const DataDim& data : tensor.data)
      if (!data.terms.empty()) text.append("[").append(index(data)).append("]");
    return text;
  }

  std::string index(const DataDim& data) {
    if (const auto name = plain_index(computation_, data)) return *name;
    std::string name(1, 'x');
    name += std::to_string(relations_.size());
    std::vector<std::string> values{name};
    for (const Term& term : data.terms) {
      values.push_back(std::to_string(term.coefficient));
      values.push_back(computation_.name(term.dim));
    }
    relations_.push_back(fill("$=$*$+$*$", values));
    return name;
  }

  const Computation& computation_;
  std::string text_;
  std::vector<std::string> relations_;
};

Json workload(const Computation& computation) {
  const Equation equation(computation);
  Json dims = Json::array(), sizes = Json::array(), precision;
  for (int d = 0; d < computation.dims(); ++d) {
    dims.push_back(upper(computation.name(Dim{d})));
    sizes.push_back(computation.extent(Dim{d}));
  }
  for (std::size_t t = 0; t < kOperandNames.size(); ++t)
    precision[kOperandNames[t]] = kBitsPerByte * computation.tensors[t].element_bytes();
  precision["O_final"] = precision["O"];
  precision["O"] = kBitsPerByte * bytes_of(accumulator_of(types_of(computation.problem)));
  return Json::array({{{"id", 0},
                       {"name", "product"},
                       {"operator_type", "Conv"},
                       {"equation", equation.text()},
                       {"dimension_relations", equation.relations()},
                       {"loop_dims", dims},
                       {"loop_sizes", sizes},
                       {"operand_precision", precision},
                       {"operand_source", {{"I", 0}, {"W", 0}}}}});
}

/// Returns a port through which `operands` move at 1 to `bits` bits per cycle.
Json port(const std::string& name, const char* type, std::int64_t bits,
          const std::vector<std::string>& operands) {
  return {{"name", name},
          {"type", type},
          {"bandwidth_min", 1},
          {"bandwidth_max", std::max<std::int64_t>(1, bits)},
          {"allocation", operands}};
}

Json memory(std::int64_t bytes, const std::vector<std::string>& operands, const Json& ports,
            const std::vector<std::string>& dimensions) {
  return {{"size", bytes * kBitsPerByte},
          {"r_cost", 1.0},
          {"w_cost", 1.0},
          {"area", 0.0},
          {"latency", 1},
          {"operands", operands},
          {"ports", ports},
          {"served_dimensions", dimensions}};
}

/// Returns a memory that all operands share. It has a port to the next inner memory, and a port to
/// the next outer one unless it is the outermost (`bits_above` is 0).
Json shared_memory(std::int64_t bytes, std::int64_t bits_below, std::int64_t bits_above) {
  Json ports = Json::array(
      {port("rw_port_1", "read_write", bits_below, {"I1, tl", "I2, tl", "O, tl", "O, fl"})});
  if (bits_above > 0)
    ports.push_back(
        port("rw_port_2", "read_write", bits_above, {"I1, fh", "I2, fh", "O, fh", "O, th"}));
  return memory(bytes, {"I1", "I2", "O"}, ports, {"D1"});
}

/// Returns the cycles per second of ZigZag's array, in which each lane does one multiply-add per
/// cycle.
double cycles_per_second(const Machine& machine) {
  return peak_flops(machine) / (2 * machine.vector.lanes);
}

Json accelerator(const Machine& machine) {
  constexpr std::int64_t kMemoryBytes = std::int64_t{1} << 46;
  const VectorUnit& vector = machine.vector;
  const std::int64_t element = bytes_of(vector.element);
  const double cycles = cycles_per_second(machine);
  const auto bits_per_cycle = [&](double bytes_per_second) {
    return std::llround(bytes_per_second * kBitsPerByte / cycles);
  };
  const double load_bytes = static_cast<double>(element * vector.load_ports * vector.lanes);
  std::vector<std::int64_t> bits{bits_per_cycle(load_bytes * machine.clock.hertz)};
  for (const CacheLevel& cache : machine.caches)
    bits.push_back(bits_per_cycle(cache.fill_bytes_per_second));
  Json memories;
  const std::int64_t lane_bits = element * kBitsPerByte;
  memories["registers"] =
      memory(vector.registers * element, {"O"},
             Json::array({port("r_port_1", "read", lane_bits, {"O, tl", "O, th"}),
                          port("w_port_1", "write", lane_bits, {"O, fl", "O, fh"})}),
             {});
  for (std::size_t i = 0; i < machine.caches.size(); ++i)
    memories[machine.caches[i].name] =
        shared_memory(machine.caches[i].capacity_bytes, bits[i], bits[i + 1]);
  memories["memory"] = shared_memory(kMemoryBytes, bits.back(), 0);
  return {{"name", "core"},
          {"memories", memories},
          {"operational_array",
           {{"input_precision", {lane_bits, lane_bits}},
            {"unit_energy", 0.0},
            {"unit_area", 0.0},
            {"dimensions", {"D1"}},
            {"sizes", {vector.lanes}}}}};
}

Json mapping(const std::vector<SplitLoop>& loops) {
  Json ordering = Json::array(), spatial = Json::object();
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->kind == Kind::vector)
      spatial["D1"] = {fill("$, $", {upper(loop->dim), std::to_string(loop->trips)})};
    else
      ordering.push_back({upper(loop->dim), loop->trips});
  }
  return Json::array({{{"name", "default"},
                       {"spatial_mapping", spatial},
                       {"temporal_ordering", ordering},
                       {"memory_operand_links", {{"I", "I1"}, {"W", "I2"}, {"O", "O"}}}}});
}

}  // namespace

std::optional<std::string> why_no_zigzag(const Schedule& schedule, const Computation& computation,
                                         int lanes) {
  if (auto why = why_no_splits(schedule, computation)) return why;
  const auto is_parallel = [](const Specifier& loop) { return loop.kind == Kind::parallel; };
  if (std::ranges::any_of(schedule.loops, is_parallel)) return "a parallel loop";
  if (computation.extent(computation.dim(schedule.loops.back().dim)) % lanes != 0)
    return "a vector that is not full";
  for (const TensorAccess& tensor : computation.tensors)
    for (const DataDim& data : tensor.data)
      if (!data.terms.empty() && data.terms.size() != 2 && !plain_index(computation, data))
        return "an index of other than two loops";
  return std::nullopt;
}

std::string zigzag_line(const Candidate& candidate, const CandidateList& list,
                        const Computation& computation) {
  const Json line{{"problem", to_string(list.problem)},
                  {"machine", list.machine.name},
                  {"schedule", to_string(candidate.schedule)},
                  {"predicted_s", candidate.prediction.seconds},
                  {"cycles_per_second", cycles_per_second(list.machine)},
                  {"accelerator", accelerator(list.machine)},
                  {"workload", workload(computation)},
                  {"mapping", mapping(split_loops(candidate.schedule, computation,
                                                  list.machine.vector.lanes))}};
  return line.dump();
}

}  // namespace tileplan
