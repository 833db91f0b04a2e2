// SPDX-License-Identifier: Apache-2.0
// This file reads the attributes and inputs of nodes, and computes with shapes. An Error names the
// node or tensor, says what is wrong, and states the rule.
#include "node_view.h"

#include "shortened.h"

namespace tileplan {
namespace {

/// With this limit, the sizes of tensors in bytes stay far below 2^63.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

}  // namespace

std::string shape_text(const Extents& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text.empty() ? "scalar" : text;
}

std::int64_t count_elements(const std::string& owner, const Extents& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > kMostExtent)
      throw Error(owner + " has an extent of " + std::to_string(extent) +
                  "; must be from 0 to 2147483647");
    if (extent > 0 && elements > kMostElements / extent)
      throw Error(owner + " has more than 2^40 elements; must have at most as many");
    elements *= extent;
  }
  return elements;
}

std::int64_t elements_of(const Extents& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

Extents row_major(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void NodeView::refuse(const std::string& problem) const {
  throw Error("node " + printable(node_.name) + ": " + problem);
}

const GraphValue& NodeView::input(std::size_t i) const {
  if (!has_input(i))
    refuse(kind() + " has no input " + std::to_string(i + 1) + "; it must have one");
  return graph_.values[static_cast<std::size_t>(node_.inputs[i])];
}

const Extents& NodeView::shape(std::size_t i) const {
  const GraphValue& value = input(i);
  if (!value.shape) throw NotUnderstood{"the shape of " + value.name + " is not known"};
  return *value.shape;
}

const Extents& NodeView::out_shape(std::size_t i) const {
  return *graph_.values[static_cast<std::size_t>(node_.outputs[i])].shape;
}

std::int64_t NodeView::integer(const std::string& attribute, std::int64_t otherwise) const {
  const auto found = node_.attributes.find(attribute);
  if (found == node_.attributes.end()) return otherwise;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  if (!number) refuse(attribute + " is no integer; it must be one");
  return *number;
}

double NodeView::real(const std::string& attribute, double otherwise) const {
  const auto found = node_.attributes.find(attribute);
  if (found == node_.attributes.end()) return otherwise;
  const auto* number = std::get_if<double>(&found->second);
  if (!number) refuse(attribute + " is no number with a fraction; it must be one");
  return *number;
}

std::string NodeView::text(const std::string& attribute, const std::string& otherwise) const {
  const auto found = node_.attributes.find(attribute);
  if (found == node_.attributes.end()) return otherwise;
  const auto* words = std::get_if<std::string>(&found->second);
  if (!words) refuse(attribute + " is no text; it must be one");
  return *words;
}

Extents NodeView::integers(const std::string& attribute, const Extents& otherwise) const {
  const auto found = node_.attributes.find(attribute);
  if (found == node_.attributes.end()) return otherwise;
  const auto* list = std::get_if<Extents>(&found->second);
  if (!list) refuse(attribute + " is no list of integers; it must be one");
  return *list;
}

std::optional<Extents> NodeView::integers_at(std::size_t i, const std::string& attribute) const {
  if (!has_input(i)) return has(attribute) ? std::optional(integers(attribute, {})) : std::nullopt;
  const GraphValue& value = input(i);
  if (!value.numbers) throw NotUnderstood{value.name + " is no constant, so shapes are open"};
  const auto* integers_of_value = std::get_if<Extents>(value.numbers.get());
  if (!integers_of_value) throw NotUnderstood{value.name + " has no integers"};
  return *integers_of_value;
}

std::optional<std::vector<double>> NodeView::reals_at(std::size_t i) const {
  if (!has_input(i)) return std::nullopt;
  const GraphValue& value = input(i);
  if (!value.numbers) throw NotUnderstood{value.name + " is no constant"};
  return std::visit(
      [](const auto& list) {
        std::vector<double> reals;
        reals.reserve(list.size());
        for (const auto number : list) reals.push_back(static_cast<double>(number));
        return reals;
      },
      *value.numbers);
}

std::size_t NodeView::axis(std::int64_t axis, std::size_t rank) const {
  const auto dims = static_cast<std::int64_t>(rank);
  if (axis < -dims || axis >= dims)
    refuse("axis is " + std::to_string(axis) + "; must be from " + std::to_string(-dims) + " to " +
           std::to_string(dims - 1));
  return static_cast<std::size_t>(axis < 0 ? axis + dims : axis);
}

}  // namespace tileplan
