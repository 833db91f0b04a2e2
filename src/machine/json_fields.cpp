// SPDX-License-Identifier: Apache-2.0
// This file reads JSON objects and checks the type and the range of every field.
#include "json_fields.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "json_limits.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

/// Messages show at most this many characters of a value.
constexpr std::size_t kShownCharacters = 40;

std::string show(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "...";
}

bool is_whole_number(const Json& value, std::int64_t least, std::int64_t most) {
  // An unsigned number of 2^63 or more would wrap to a negative number.
  const bool wraps =
      value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  return value.is_number_integer() && !wraps && value >= least && value <= most;
}

bool is_not_negative(const Json& value) { return value.is_number() && value.get<double>() >= 0; }

/// Returns a predicate for lists whose items all satisfy `holds`.
template <class Holds>
auto list_of(Holds holds) {
  return
      [holds](const Json& value) { return value.is_array() && std::ranges::all_of(value, holds); };
}

}  // namespace

Json parse_json(const std::string& text, const std::string& origin) {
  try {
    check_json_limits(text);
    return Json::parse(text);
  } catch (const Error& error) {
    throw Error(origin + ": " + error.what());
  } catch (const Json::exception& error) {
    // A message of the JSON library has the form "[json.exception.parse_error.101] parse error at
    // line 1 ...", whose first part is removed.
    std::string what = error.what();
    what = what.substr(std::min(what.size(), what.find("] ") + 2));
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(origin + ": not JSON: " + shortened(what));
  }
}

Fields::Fields(const Json& json, const std::string& origin,
               std::initializer_list<const char*> known)
    : Fields(json, origin, "", known) {}

Fields::Fields(const Json& json, std::string origin, std::string path,
               std::initializer_list<const char*> known)
    : json_(&json), origin_(std::move(origin)), path_(std::move(path)) {
  if (!json.is_object()) {
    const std::string where = path_.empty() ? "the file" : path_.substr(0, path_.size() - 1);
    throw Error(origin_ + ": " + where + " is " + show(json) + "; must be an object");
  }
  for (const auto& item : json.items())
    if (std::none_of(known.begin(), known.end(),
                     [&](const char* name) { return item.key() == name; }))
      throw Error(origin_ + ": " + path_ + show(Json(item.key())) +
                  " is not a field; must be one of " + comma_separated(known));
}

void Fields::fail(const std::string& name, const std::string& rule) const {
  const auto found = json_->find(name);
  const std::string value = found == json_->end() ? "missing" : show(*found);
  throw Error(origin_ + ": " + path_ + name + " is " + value + "; must be " + rule);
}

template <class Holds>
const Json& Fields::checked(const char* name, const std::string& rule, const Holds& holds) const {
  const auto found = json_->find(name);
  if (found == json_->end() || !std::invoke(holds, *found)) fail(name, rule);
  return *found;
}

std::string Fields::text(const char* name) const {
  return printable(checked(name, "a text", &Json::is_string).get<std::string>());
}

void Fields::require(const char* name, const std::string& expected) const {
  const Json wanted = expected;
  checked(name, show(wanted), [&](const Json& value) { return value == wanted; });
}

bool Fields::flag(const char* name) const {
  return checked(name, "true or false", &Json::is_boolean);
}

std::int64_t Fields::integer(const char* name, std::int64_t least, std::int64_t most) const {
  const std::string rule =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  return checked(name, rule,
                 [&](const Json& value) { return is_whole_number(value, least, most); });
}

double Fields::positive(const char* name) const {
  return checked(name, "a number greater than 0",
                 [](const Json& value) { return value.is_number() && value.get<double>() > 0; });
}

double Fields::non_negative(const char* name) const {
  return checked(name, "a number of at least 0", is_not_negative);
}

double Fields::at_least_one(const char* name) const {
  return checked(name, "a number of at least 1",
                 [](const Json& value) { return value.is_number() && value.get<double>() >= 1; });
}

std::vector<std::string> Fields::texts(const char* name) const {
  return checked(name, "a list of texts", list_of(&Json::is_string));
}

std::vector<double> Fields::non_negatives(const char* name) const {
  return checked(name, "a list of numbers of at least 0", list_of(is_not_negative));
}

std::vector<std::pair<int, int>> Fields::ranges(const char* name) const {
  constexpr int kMost = std::numeric_limits<int>::max();
  return checked(
      name, "a list of pairs [first, last] of whole numbers", list_of([](const Json& item) {
        return item.is_array() && item.size() == 2 && is_whole_number(item[0], 0, kMost) &&
               is_whole_number(item[1], 0, kMost) && item[0] <= item[1];
      }));
}

Fields Fields::object(const char* name, std::initializer_list<const char*> known) const {
  return Fields(checked(name, "an object", &Json::is_object), origin_, path_ + name + ".", known);
}

std::vector<Fields> Fields::list(const char* name, std::initializer_list<const char*> known) const {
  const Json& value = checked(name, "a list of objects", &Json::is_array);
  std::vector<Fields> result;
  for (std::size_t i = 0; i < value.size(); ++i)
    result.push_back(
        Fields(value[i], origin_, path_ + name + "[" + std::to_string(i) + "].", known));
  return result;
}

}  // namespace tileplan
