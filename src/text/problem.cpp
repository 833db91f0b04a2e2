// SPDX-License-Identifier: Apache-2.0
// This file reads and validates problems of all kinds, and gives their types, names and numbers of
// operations.
#include "tileplan/problem.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "problem_text.h"
#include "shape_rules.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

void check_shape(const Relation& relation) {
  const Relation read = read_relation(text_of(relation));
  const auto require_equal = [](const char* what, const std::string& given,
                                const std::string& canonical) {
    if (given != canonical)
      throw Error(std::string("the ") + what + " is " + in_quotes(given) +
                  "; must be one line with single blanks, as parse_problem makes it: " + canonical);
  };
  require_equal("domain", relation.domain, read.domain);
  require_equal("text of the reads", relation.reads, read.reads);
  require_equal("text of the writes", relation.writes, read.writes);
}

/// Throws Error for a transposed convolution. benchdnn marks it by its driver option and not in the
/// descriptor.
void refuse_deconvolution(std::string_view text) {
  for (const std::string_view driver : {"--deconv", "deconv"})
    if (text.starts_with(driver))
      throw Error("transposed convolutions (" + std::string(driver) +
                  ") are not supported; must be a convolution, a matrix product or a relation");
}

/// Throws Error for a key with upper-case letters that is known in lower case.
void require_lower_case(std::string_view key) {
  const std::string lower = boost::to_lower_copy(std::string(key), std::locale::classic());
  if (lower != key && (std::ranges::count(kConvKeys, lower, &Key::name) > 0 ||
                       std::ranges::count(kGemmKeys, lower, &Key::name) > 0))
    throw Error("key " + std::string(key) + " is in upper case; must be " + lower +
                ", as the other keys of a descriptor");
}

Problem read_f32(std::string_view text) {
  if (text.empty())
    throw Error("nothing to read; must be a descriptor, a layer name or a relation");
  if (text.starts_with('{')) return read_relation(text);
  if (const auto layer = find_layer(text)) return *layer;
  const std::string_view key = leading_key(text);
  if (std::ranges::count(kConvKeys, key, &Key::name) > 0) return read_conv(text);
  if (std::ranges::count(kGemmKeys, key, &Key::name) > 0) return read_gemm(text);
  if (const std::string hint = hint_about_layers(text); !hint.empty()) throw Error(hint);
  require_lower_case(key);
  throw Error("not a layer of the tables (" + layer_table_names() +
              ") nor a descriptor, which would start with a key such as mb, ic or m");
}

Problem read_problem(const std::string& whole) {
  refuse_deconvolution(trimmed(whole));
  const TextWithTypes typed = take_options(whole);
  Problem problem = read_f32(typed.text);
  std::visit(
      [&](auto& shape) {
        shape.types = typed.types;
        check_shape(shape);
      },
      problem);
  return problem;
}

/// Returns the result of `read`. If `read` throws Error, puts `subject` before the message.
template <class Read>
auto about(const std::string& subject, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(subject + ": " + error.what());
  }
}

std::string subject_of(const std::string& text) { return "problem " + in_quotes(text); }

template <class Shape>
Shape read_as(const std::string& text, const char* kind) {
  return about(subject_of(text), [&] {
    const Problem problem = read_problem(text);
    if (const auto* shape = std::get_if<Shape>(&problem)) return *shape;
    throw Error(std::string("must be ") + kind);
  });
}

}  // namespace

ConvShape parse_conv(const std::string& text) { return read_as<ConvShape>(text, "a convolution"); }

GemmShape parse_gemm(const std::string& text) {
  return read_as<GemmShape>(text, "a matrix product");
}

Problem parse_problem(const std::string& text) {
  return about(subject_of(text), [&] { return read_problem(text); });
}

void validate(const Problem& problem) {
  std::visit(
      [](const auto& shape) {
        about("problem " + (shape.name.empty() ? "without a name" : in_quotes(shape.name)), [&] {
          accumulator_of(shape.types);
          check_shape(shape);
        });
      },
      problem);
}

TensorTypes types_of(const Problem& problem) {
  return std::visit([](const auto& shape) { return shape.types; }, problem);
}

std::string type_prefix(const TensorTypes& types) {
  return types == ElementType::f32 ? "" : "--dt=" + to_string(types) + " ";
}

std::string to_string(const Problem& problem) {
  return std::visit([](const auto& shape) { return to_string(shape); }, problem);
}

std::string name_of(const Problem& problem) {
  const std::string name = std::visit([](const auto& shape) { return shape.name; }, problem);
  return name.empty() ? to_string(problem) : type_prefix(types_of(problem)) + name;
}

double flops(const Problem& problem) {
  validate(problem);
  if (const auto* conv = std::get_if<ConvShape>(&problem))
    return static_cast<double>(operations(*conv).value());
  if (const auto* gemm = std::get_if<GemmShape>(&problem))
    return static_cast<double>(operations(*gemm).value());
  throw Error(subject_of(to_string(problem)) +
              ": only the computation of a relation, not its text, can be counted");
}

}  // namespace tileplan
