// SPDX-License-Identifier: Apache-2.0
// Arrays come by DLPack or the buffer protocol, and are compared with what the kernel takes.
#include "arrays.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>

#include "tileplan/error.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

using Array = nb::ndarray<nb::ro>;

std::string in_parentheses(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + (sizes.size() == 1 ? ",)" : ")");
}

std::string shape_text(const Array& array) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < array.ndim(); ++i) sizes.push_back(array.shape(i));
  return in_parentheses(sizes);
}

std::string type_text(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  const std::string name = code == Code::Float    ? "float"
                           : code == Code::Bfloat ? "bfloat"
                           : code == Code::Int    ? "int"
                           : code == Code::UInt   ? "uint"
                                                  : "another type of ";
  return name + std::to_string(static_cast<int>(type.bits));
}

/// Returns the type of arrays for elements of `type`. Elements of bf16 are passed as their bits in
/// uint16, because numpy has no such type.
nb::dlpack::dtype dtype_of(ElementType type) {
  using Code = nb::dlpack::dtype_code;
  const bool is_unsigned = type == ElementType::u8 || type == ElementType::bf16;
  const Code of_integer = is_unsigned ? Code::UInt : Code::Int;
  const bool has_bits = is_integer(type) || type == ElementType::bf16;
  constexpr std::int64_t kByte = 8;
  return {.code = static_cast<std::uint8_t>(has_bits ? of_integer : Code::Float),
          .bits = static_cast<std::uint8_t>(kByte * bytes_of(type)),
          .lanes = 1};
}

[[noreturn]] void refuse(const ArrayForm& form, const std::string& what) {
  throw Error(form.name + ": " + what);
}

/// Casts a Python object to an array. numpy does not export arrays of ml_dtypes' bfloat16, so their
/// bits are cast.
template <class Result>
bool casts_to(nb::handle object, const ArrayForm& form, Result& array) {
  if (nb::try_cast(object, array)) return true;
  const nb::object type = nb::getattr(object, "dtype", nb::none());
  if (form.type != ElementType::bf16 || std::string(nb::str(type).c_str()) != "bfloat16")
    return false;
  return nb::try_cast(nb::object(object.attr("view")("uint16")), array);
}

Array import(nb::handle object, const ArrayForm& form, bool writable) {
  if (object.is_none()) refuse(form, "None; must be an array");
  Array array;
  nb::ndarray<> written;
  if (writable && casts_to(object, form, written)) return Array(written);
  if (!casts_to(object, form, array))
    refuse(form, std::string(nb::inst_name(object).c_str()) +
                     "; must be an array in CPU memory, by DLPack or the buffer protocol");
  if (writable) refuse(form, "the array is read-only; must be writable");
  return array;
}

bool has_shape(const Array& array, const ArrayForm& form) {
  if (form.any_shape) return array.size() == form.size;
  auto expected = form.shape.begin();
  const auto end = form.shape.end();
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    if (array.shape(i) == 1) continue;
    while (expected != end && *expected == 1) ++expected;
    if (expected == end || *expected++ != array.shape(i)) return false;
  }
  return std::all_of(expected, end, [](std::size_t extent) { return extent == 1; });
}

bool is_contiguous(const Array& array) {
  std::int64_t stride = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) == 1) continue;
    if (array.stride(i) != stride) return false;
    stride *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

std::string strides_text(const Array& array) {
  std::string text;
  for (std::size_t i = 0; i < array.ndim(); ++i)
    text += (text.empty() ? "" : ", ") + std::to_string(array.stride(i));
  return "(" + text + (array.ndim() == 1 ? ",)" : ")");
}

/// Returns true if the elements of `array` have the type of `form`. NumPy has no bf16 and passes
/// its bits as u16, whereas PyTorch exports it with DLPack's type code for bfloat16.
bool has_type(const Array& array, const ArrayForm& form) {
  constexpr nb::dlpack::dtype kBfloat16{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat),
                                        16, 1};
  return array.dtype() == dtype_of(form.type) ||
         (form.type == ElementType::bf16 && array.dtype() == kBfloat16);
}

void check(const Array& array, const ArrayForm& form) {
  const nb::dlpack::dtype type = dtype_of(form.type);
  if (array.device_type() != nb::device::cpu::value)
    refuse(form, "the array is not in CPU memory; must be");
  if (!has_type(array, form))
    refuse(form, type_text(array.dtype()) + "; this kernel takes " + type_text(type) +
                     (form.type == ElementType::bf16 ? ", the bits of bfloat16" : ""));
  if (!has_shape(array, form))
    refuse(form, "shape " + shape_text(array) + "; this kernel takes " +
                     (form.any_shape ? std::to_string(form.size) + " elements"
                                     : in_parentheses(form.shape) + ", " + form.order));
  if (!is_contiguous(array))
    refuse(form, "strides of " + strides_text(array) +
                     " elements; must be contiguous with the last dimension innermost");
  if (reinterpret_cast<std::uintptr_t>(array.data()) % (type.bits / 8) != 0)
    refuse(form, "not aligned; must be aligned to " + std::to_string(type.bits / 8) + " bytes");
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

ArrayView::ArrayView(nb::handle array, const ArrayForm& form, bool writable)
    : array_(import(array, form, writable)) {
  check(array_, form);
  data_ = const_cast<void*>(array_.data());
  size_ = form.size;
  type_ = form.type;
  bytes_ = size_ * static_cast<std::size_t>(bytes_of(form.type));
}

bool ArrayView::overlaps(const ArrayView& other) const {
  const std::less<const char*> before;
  const char* const first = static_cast<const char*>(data_);
  const char* const second = static_cast<const char*>(other.data_);
  return before(first, second + other.bytes_) && before(second, first + bytes_);
}

nb::object new_array(const ArrayForm& form) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = form.size * static_cast<std::size_t>(bytes_of(form.type));
  std::unique_ptr<void, Free> memory(
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  if (!memory) throw std::bad_alloc();
  void* const data = memory.get();
  const nb::capsule owner(memory.release(), [](void* pointer) noexcept { std::free(pointer); });
  const std::vector<std::size_t> shape =
      form.any_shape ? std::vector<std::size_t>{form.size} : form.shape;
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr,
                                         dtype_of(form.type)));
}

}  // namespace tileplan::python
