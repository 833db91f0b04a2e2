// SPDX-License-Identifier: Apache-2.0
// This file looks up the attributes and inputs of a node, checks them, and computes with shapes.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tileplan/error.h"
#include "tileplan/graph.h"

namespace tileplan {

using Extents = std::vector<std::int64_t>;

/// Limits extents, because shape inference in onnx computes remainders by subtracting a stride
/// again and again, which could take years for extents near 2^63.
inline constexpr std::int64_t kMostExtent = (std::int64_t{1} << 31) - 1;

/// This exception is thrown when a valid node cannot be run, and tells why. The code that adds the
/// node to a graph or plans it catches this exception.
struct NotUnderstood {
  std::string reason;
};

/// Returns text such as "1x3x224x224", or "scalar" for no extents.
std::string shape_text(const Extents& shape);

/// Returns the product of the extents. Throws Error that names `owner` when an extent is below 0 or
/// above 2^31 - 1, or when the product of all extents or of the first few exceeds 2^40.
std::int64_t count_elements(const std::string& owner, const Extents& shape);

/// Returns the number of elements of a tensor. Requires: count_elements() has accepted the extents.
std::int64_t elements_of(const Extents& shape);

/// Returns the distance in elements between neighbours along each axis of a row-major tensor.
Extents row_major(const Extents& shape);

/// Gives access to one node and its values. Keeps references to its arguments.
class NodeView {
 public:
  NodeView(const Graph& graph, const GraphNode& node) : graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const GraphNode& node() const { return node_; }
  const std::string& kind() const { return node_.kind; }

  /// Throws Error with the name of the node and `problem`, which states the value and the rule.
  [[noreturn]] void refuse(const std::string& problem) const;
  void require(bool condition, const std::string& problem) const {
    if (!condition) refuse(problem);
  }

  std::size_t inputs() const { return node_.inputs.size(); }
  bool has_input(std::size_t i) const { return i < inputs() && node_.inputs[i] >= 0; }
  /// Returns input `i`. Throws Error when it is missing.
  const GraphValue& input(std::size_t i) const;
  /// Returns the extents of input `i`. Throws Error when the input is missing, and NotUnderstood
  /// when the extents are unknown.
  const Extents& shape(std::size_t i) const;
  /// Returns the extents of output `i`. Requires that they are known.
  const Extents& out_shape(std::size_t i = 0) const;

  bool has(const std::string& attribute) const { return node_.attributes.contains(attribute); }
  /// These functions return an attribute, or `otherwise` if the node does not have it. They throw
  /// Error if the attribute has another type.
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const;
  double real(const std::string& attribute, double otherwise) const;
  std::string text(const std::string& attribute, const std::string& otherwise) const;
  Extents integers(const std::string& attribute, const Extents& otherwise) const;

  /// Returns the integers that input `i` holds. If the input is missing, returns the attribute, in
  /// which old operator sets have the integers, or nothing without the attribute. Throws
  /// NotUnderstood when the input is no constant of i64 with known numbers, and Error when the
  /// attribute is no list of integers.
  std::optional<Extents> integers_at(std::size_t i, const std::string& attribute) const;
  /// Returns the numbers of the constant at input `i`, or nothing without this input. Throws
  /// NotUnderstood when the input is no constant with known numbers.
  std::optional<std::vector<double>> reals_at(std::size_t i) const;

  /// Returns `axis`, counted from the end when it is negative. Throws Error unless it is an axis of
  /// a tensor with `rank` dimensions.
  std::size_t axis(std::int64_t axis, std::size_t rank) const;

 private:
  const Graph& graph_;
  const GraphNode& node_;
};

}  // namespace tileplan
