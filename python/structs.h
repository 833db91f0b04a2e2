// SPDX-License-Identifier: Apache-2.0
// Structs of the public headers are classes in Python, whose fields can be read.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace tileplan::python {

/// Type checkers require that == accepts any object.
inline const nanobind::sig kEquality("def __eq__(self, arg: object, /) -> bool");

/// Returns the comment of a field, such as "Machine::caches", in the public headers. It is empty if
/// the field has none.
const char* comment_of(const std::string& field);

/// Returns the text "Machine::cores" for &Machine::cores. It is cut out of the name of this
/// function, which ends with "... Member = &tileplan::Machine::cores]", or with a semicolon and
/// more text.
template <auto Member>
std::string field_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.rfind('&') + 1);
  text = text.substr(0, text.find_first_of(";]"));
  const std::size_t before = text.rfind(':', text.rfind("::") - 1);
  return std::string(text.substr(before + 1));
}

/// Returns the text of a value, or nothing without a value.
template <class Value>
std::optional<std::string> text_of(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return to_string(*value);
}

/// Declares a function whose return type is the struct of a pointer to a member. It is used in
/// decltype only, so it has no definition.
template <class Struct, class Value>
Struct struct_of(Value Struct::*);

/// Adds a property that reads a field. An underscore follows the name "in", which is a keyword of
/// Python.
template <auto Member, class Struct>
void bind_field(nanobind::class_<Struct>& type) {
  const std::string field = field_name<Member>();
  std::string name = field.substr(field.rfind(':') + 1);
  if (name == "in") name += '_';
  type.def_ro(name.c_str(), Member, comment_of(field));
}

/// Adds the class of a struct with these fields. Python objects can be compared if the C++ struct
/// can, and written as text or JSON if to_text() or to_json() takes the struct.
template <auto First, auto... Others>
auto bind_struct(nanobind::module_& module, const char* doc) {
  using Struct = decltype(struct_of(First));
  const std::string field = field_name<First>();
  nanobind::class_<Struct> type(module, field.substr(0, field.find(':')).c_str(), doc);
  bind_field<First>(type);
  (bind_field<Others>(type), ...);
  if constexpr (std::equality_comparable<Struct>)
    type.def(nanobind::self == nanobind::self, kEquality);
  if constexpr (requires(const Struct& value) { to_json(value); })
    type.def(
        "to_json", [](const Struct& value) { return to_json(value); },
        "Return the JSON document that the command line prints.");
  if constexpr (requires(const Struct& value) { to_text(value); })
    type.def("__str__", [](const Struct& value) { return to_text(value); });
  return type;
}

}  // namespace tileplan::python
