// SPDX-License-Identifier: Apache-2.0
// A table of the members of a struct serves for writing JSON, for reading it, and for the names
// that a reader accepts.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "json_fields.h"

namespace tileplan {

/// Names one member of an object in JSON. `read` reads and checks the value of the member. It is
/// null for members that other code reads.
template <class Object, class Value, class Read>
struct JsonMember {
  const char* name;
  Value Object::*value;
  Read (Fields::*read)(const char*) const = nullptr;
};

template <class Object, class Value>
JsonMember(const char*, Value Object::*) -> JsonMember<Object, Value, Value>;
template <class Object, class Value, class Read>
JsonMember(const char*, Value Object::*, Read (Fields::*)(const char*) const)
    -> JsonMember<Object, Value, Read>;

template <class Value>
void write_member(Json& json, const char* name, const Value& value) {
  json[name] = value;
}

template <class Value>
void write_member(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

template <class Object, class... Members>
Json members_json(const std::tuple<Members...>& members, const Object& object) {
  Json json = Json::object();
  std::apply([&](const auto&... each) { (write_member(json, each.name, object.*each.value), ...); },
             members);
  return json;
}

template <class Object, class... Members>
Json members_json(const std::tuple<Members...>& members, const std::vector<Object>& objects) {
  Json list = Json::array();
  for (const Object& object : objects) list.push_back(members_json(members, object));
  return list;
}

template <class Object, class Value, class Read>
void read_member(const JsonMember<Object, Value, Read>& member, const Fields& fields,
                 Object& object) {
  object.*member.value = (fields.*member.read)(member.name);
}

/// An optional member may be missing.
template <class Object, class Value, class Read>
void read_member(const JsonMember<Object, std::optional<Value>, Read>& member, const Fields& fields,
                 Object& object) {
  if (fields.has(member.name)) object.*member.value = (fields.*member.read)(member.name);
}

template <class Object, class... Members>
void read_members(const std::tuple<Members...>& members, const Fields& fields, Object& object) {
  std::apply([&](const auto&... each) { (read_member(each, fields, object), ...); }, members);
}

/// Reads the object `name`. Throws Error when it is missing, when it has other members than
/// `members`, or when one of these is invalid or, unless it is optional, missing.
template <class Object, class... Members>
void read_object(const std::tuple<Members...>& members, const Fields& fields, const char* name,
                 Object& object) {
  const auto known = [&](const auto&... each) { return fields.object(name, {each.name...}); };
  read_members(members, std::apply(known, members), object);
}

/// Returns the objects of the list `name`. Throws Error when it is missing or no list of objects,
/// or when an object has other members than `members`.
template <class... Members>
std::vector<Fields> listed(const std::tuple<Members...>& members, const Fields& fields,
                           const char* name) {
  return std::apply([&](const auto&... each) { return fields.list(name, {each.name...}); },
                    members);
}

template <class Object, class... Members>
void read_list(const std::tuple<Members...>& members, const Fields& fields, const char* name,
               std::vector<Object>& objects) {
  for (const Fields& each : listed(members, fields, name))
    read_members(members, each, objects.emplace_back());
}

}  // namespace tileplan
