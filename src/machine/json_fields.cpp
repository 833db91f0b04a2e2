// SPDX-License-Identifier: Apache-2.0
// Reads JSON objects and refuses all that is not as expected.
#include "json_fields.h"

#include <algorithm>
#include <utility>

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::size_t kShownCharacters = 40;  ///< of a wrong value, to keep messages short

std::string show(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "...";
}

std::string join(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

Json parse_json(const std::string& text, const std::string& origin) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // We cut the number off "[json.exception.parse_error.101] parse error at line 1 ...".
    std::string what = error.what();
    what = what.substr(std::min(what.size(), what.find("] ") + 2));
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(origin + ": not JSON: " + what);
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
                  " is not a field; must be one of " + join(known));
}

void Fields::fail(const std::string& name, const std::string& rule) const {
  const auto found = json_->find(name);
  const std::string value = found == json_->end() ? "missing" : show(*found);
  throw Error(origin_ + ": " + path_ + name + " is " + value + "; must be " + rule);
}

const Json& Fields::field(const char* name, const char* rule) const {
  const auto found = json_->find(name);
  if (found == json_->end()) fail(name, rule);
  return *found;
}

std::string Fields::text(const char* name) const {
  const Json& value = field(name, "a text");
  if (!value.is_string()) fail(name, "a text");
  return value.get<std::string>();
}

void Fields::require(const char* name, const std::string& expected) const {
  const std::string rule = show(Json(expected));
  const Json& value = field(name, rule.c_str());
  if (!value.is_string() || value.get<std::string>() != expected) fail(name, rule);
}

bool Fields::flag(const char* name) const {
  const Json& value = field(name, "true or false");
  if (!value.is_boolean()) fail(name, "true or false");
  return value.get<bool>();
}

std::int64_t Fields::integer(const char* name, std::int64_t least, std::int64_t most) const {
  const std::string rule =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const Json& value = field(name, rule.c_str());
  if (!value.is_number_integer()) fail(name, rule);
  // An unsigned number beyond 2^63 would wrap when it is read as signed.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    fail(name, rule);
  const auto result = value.get<std::int64_t>();
  if (result < least || result > most) fail(name, rule);
  return result;
}

double Fields::number(const char* name, const char* rule, bool (*holds)(double)) const {
  const Json& value = field(name, rule);
  if (!value.is_number() || !holds(value.get<double>())) fail(name, rule);
  return value.get<double>();
}

double Fields::positive(const char* name) const {
  return number(name, "a number greater than 0", [](double value) { return value > 0; });
}

double Fields::non_negative(const char* name) const {
  return number(name, "a number of at least 0", [](double value) { return value >= 0; });
}

double Fields::at_least_one(const char* name) const {
  return number(name, "a number of at least 1", [](double value) { return value >= 1; });
}

template <class Item>
std::vector<Item> Fields::items(const char* name, const char* rule,
                                bool (*holds)(const Json&)) const {
  const Json& value = field(name, rule);
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), holds)) fail(name, rule);
  return value.get<std::vector<Item>>();
}

std::vector<std::string> Fields::texts(const char* name) const {
  return items<std::string>(name, "a list of texts",
                            [](const Json& item) { return item.is_string(); });
}

std::vector<double> Fields::non_negatives(const char* name) const {
  return items<double>(name, "a list of numbers of at least 0", [](const Json& item) {
    return item.is_number() && !(item.get<double>() < 0);
  });
}

std::vector<std::pair<int, int>> Fields::ranges(const char* name) const {
  return items<std::pair<int, int>>(
      name, "a list of pairs [first, last] of whole numbers", [](const Json& item) {
        return item.is_array() && item.size() == 2 && item[0].is_number_integer() &&
               item[1].is_number_integer() && item[0] <= item[1];
      });
}

Fields Fields::object(const char* name, std::initializer_list<const char*> known) const {
  return Fields(field(name, "an object"), origin_, path_ + name + ".", known);
}

std::vector<Fields> Fields::list(const char* name, std::initializer_list<const char*> known) const {
  constexpr const char* kRule = "a list of objects";
  const Json& value = field(name, kRule);
  if (!value.is_array()) fail(name, kRule);
  std::vector<Fields> result;
  for (std::size_t i = 0; i < value.size(); ++i)
    result.push_back(
        Fields(value[i], origin_, path_ + name + "[" + std::to_string(i) + "].", known));
  return result;
}

}  // namespace tileplan
