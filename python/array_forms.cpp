// SPDX-License-Identifier: Apache-2.0
// The shapes of the arrays follow from the problem and the layouts of the schedule.
#include <numeric>
#include <optional>
#include <variant>

#include "arrays.h"

namespace tileplan::python {
namespace {

using Shape = std::vector<std::size_t>;

Shape shape_of(std::initializer_list<std::int64_t> extents) {
  return {extents.begin(), extents.end()};
}

/// Returns the number of channels in a block of `layout`, or 0 when it has no blocks.
std::int64_t block_of(Layout layout) {
  if (layout == Layout::nChw16c) return 16;
  return layout == Layout::nChw8c ? 8 : 0;
}

struct Activation {
  std::int64_t images = 1, channels = 1;
  std::vector<std::int64_t> pixels = {};
};

Shape activation_shape(const Activation& tensor, Layout layout) {
  const std::int64_t block = block_of(layout);
  Shape shape = shape_of({tensor.images});
  if (block > 0) shape.push_back((tensor.channels + block - 1) / block);
  if (layout == Layout::nchw) shape.push_back(tensor.channels);
  shape.insert(shape.end(), tensor.pixels.begin(), tensor.pixels.end());
  if (layout == Layout::nhwc) shape.push_back(tensor.channels);
  if (block > 0) shape.push_back(block);
  return shape;
}

void set_shapes(ArrayForms& forms, const ConvShape& shape, const Schedule& schedule) {
  std::vector<std::int64_t> in, out, taps;
  const auto add = [&](const Axis& axis) {
    in.push_back(axis.in);
    out.push_back(axis.out);
    taps.push_back(axis.filter);
  };
  if (shape.depth != Axis{}) add(shape.depth);
  add(shape.height);
  add(shape.width);
  forms.input.shape = activation_shape({shape.n, shape.c, in}, schedule.in);
  forms.input.order = to_string(schedule.in);
  forms.out.shape = activation_shape({shape.n, shape.k, out}, schedule.out);
  forms.out.order = to_string(schedule.out);
  forms.weights.shape = shape_of({shape.k, shape.c / shape.g});
  forms.weights.shape.insert(forms.weights.shape.end(), taps.begin(), taps.end());
  forms.weights.order = "oihw";
}

void set_shapes(ArrayForms& forms, const GemmShape& shape, const Schedule& /*schedule*/) {
  // If the matrices of a batch are not adjacent, the shape is empty, so that users may pass any
  // shape with as many elements as the kernel takes.
  const auto matrix = [&](std::int64_t rows, std::int64_t pitch,
                          std::optional<std::int64_t> distance) {
    if (shape.b == 1 || distance == 0) return shape_of({rows, pitch});
    const bool is_adjacent = !distance || *distance == rows * pitch;
    return is_adjacent ? shape_of({shape.b, rows, pitch}) : Shape{};
  };
  forms.input.shape = matrix(shape.ta ? shape.k : shape.m, shape.lda, shape.sa);
  forms.weights.shape = matrix(shape.tb ? shape.n : shape.k, shape.ldb, shape.sb);
  forms.out.shape = matrix(shape.m, shape.ldc, shape.sc);
  for (ArrayForm* form : {&forms.input, &forms.weights, &forms.out}) form->order = "row-major";
}

/// Leaves the shapes empty, because the public interface does not tell the extents of the tensors
/// of a relation.
void set_shapes(ArrayForms& /*forms*/, const Relation& /*shape*/, const Schedule& /*schedule*/) {}

ArrayForm form_of(const char* name, std::size_t size, ElementType type) {
  return {.name = name, .size = size, .type = type};
}

/// Describes an array that holds no number, one number, or one number per output channel.
ArrayForm channel_form(const char* name, Granularity granularity, const Kernel& kernel,
                       ElementType type) {
  const std::size_t size = granularity == Granularity::none     ? 0
                           : granularity == Granularity::tensor ? 1
                                                                : kernel.bias_size();
  ArrayForm form = form_of(name, size, type);
  form.shape = {size};
  form.order = "as the epilogue says";
  return form;
}

void allow_any_shape_of_another_size(ArrayForm& form) {
  const std::size_t size =
      std::accumulate(form.shape.begin(), form.shape.end(), std::size_t{1}, std::multiplies<>());
  form.any_shape = form.shape.empty() || size != form.size;
}

}  // namespace

ArrayForms forms_of(const Kernel& kernel) {
  const TensorTypes types = kernel.types();
  ArrayForms forms{.input = form_of("input", kernel.input_size(), types.input),
                   .weights = form_of("weights", kernel.weights_size(), types.weights),
                   .bias = form_of("bias", kernel.bias_size(), accumulator_of(types)),
                   .out = form_of("out", kernel.output_size(), types.output)};
  std::visit([&](const auto& shape) { set_shapes(forms, shape, kernel.schedule()); },
             kernel.problem());
  forms.bias.shape = {kernel.bias_size()};
  forms.bias.order = "one value per output channel";
  for (ArrayForm* form : {&forms.input, &forms.weights, &forms.bias, &forms.out})
    allow_any_shape_of_another_size(*form);
  const Quantisation& numbers = kernel.epilogue().quantisation;
  forms.scales = channel_form("scales", numbers.scales, kernel, ElementType::f32);
  forms.zero_points =
      channel_form("zero_points", numbers.weights_zero_points, kernel, types.weights);
  forms.residual = forms.out;
  forms.residual.name = "residual";
  return forms;
}

}  // namespace tileplan::python
