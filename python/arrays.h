// SPDX-License-Identifier: Apache-2.0
// The tensors of a kernel are arrays of Python, whose memory is used without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tileplan/kernel.h"

namespace tileplan::python {

/// Describes the arrays that a kernel takes as one of its tensors.
struct ArrayForm {
  std::string name = {};  ///< Messages call the array by this name, such as "input" or "out".
  /// The array must be contiguous and row-major, and have these extents unless any_shape is true.
  std::vector<std::size_t> shape = {};
  /// Names the order of the dimensions for messages, such as "nhwc" or "row-major", or tells what
  /// the elements are, such as "one value per output channel".
  std::string order = {};
  std::size_t size = 0;  ///< The array has this many elements.
  ElementType type = ElementType::f32;
  bool any_shape = false;  ///< If true, the array may have every shape with `size` elements.
};

/// Describes the arrays of all tensors of a kernel.
struct ArrayForms {
  ArrayForm input = {}, weights = {}, bias = {}, residual = {}, out = {};
  ArrayForm scales = {}, zero_points = {};
};

/// Returns the arrays that the problem, the layouts and the epilogue of `kernel` require.
ArrayForms forms_of(const Kernel& kernel);

/// Refers to the memory of an array, and keeps the array alive. Dimensions of extent 1 may be
/// missing or additional.
class ArrayView {
 public:
  /// Throws Error with `form.name`, the value and the rule when `array` is no array in CPU memory,
  /// when its type, shape, strides or alignment are wrong, or when `writable` is true and it is
  /// read-only.
  ArrayView(nanobind::handle array, const ArrayForm& form, bool writable);

  /// Returns the elements, which may be written only if the array was checked as writable.
  Elements elements() const { return {data_, size_, type_}; }
  bool overlaps(const ArrayView& other) const;

 private:
  nanobind::ndarray<nanobind::ro> array_;
  void* data_ = nullptr;
  std::size_t size_ = 0, bytes_ = 0;
  ElementType type_ = ElementType::f32;
};

/// Returns a numpy array of the given form in new memory, which is aligned to 64 bytes and not
/// initialised.
nanobind::object new_array(const ArrayForm& form);

}  // namespace tileplan::python
