// SPDX-License-Identifier: Apache-2.0
// This file parses domains and accesses with isl and reports each error in one line.
#include "isl_read.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "isl_limits.h"
#include "isl_text.h"
#include "shortened.h"
#include "tileplan/error.h"

namespace tileplan {

void refuse(const std::string& why) { throw Error("relation: " + why); }

std::string words_of(const isl::exception& error) {
  const std::string text = error.what();
  const std::size_t colon = text.rfind(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

namespace {

template <class T>
bool is_readable(const IslContext& context, const std::string& text) {
  try {
    T(context.get(), text);
    return true;
  } catch (const isl::exception&) {
    return false;
  }
}

/// Throws Error when `context` has used up its operations. isl's parser may report this as a syntax
/// error, so a text that is valid for certain is parsed to distinguish the two cases.
void check_operations_left(const IslContext& context, const char* what) {
  if (!is_readable<isl::set>(context, "{ [i] : 0 <= i < 4 }"))
    refuse(std::string(what) + kTooManyOperations);
}

/// Returns each name in `text` that isl would accept as the name of a parameter.
std::vector<std::string> names_in(const IslContext& context, const std::string& text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  std::vector<std::string> names;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), in_name);
    const std::string name(at, end);
    at = std::max(end, at + 1);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) continue;
    if (std::ranges::find(names, name) == names.end() &&
        is_readable<isl::set>(context, "[" + name + "] -> { [] }"))
      names.push_back(name);
  }
  return names;
}

/// Returns the first name that must be declared as a parameter to make `text` valid. Returns empty
/// text if there is none, or if `text` stays invalid when all its names are declared.
template <class T>
std::string parameter_in(const IslContext& context, const std::string& text) {
  const std::vector<std::string> names = names_in(context, text);
  const auto with_all_but = [&](const std::string& left_out) {
    std::string list;
    for (const std::string& name : names)
      if (name != left_out) list += (list.empty() ? "" : ",") + name;
    return is_readable<T>(context, "[" + list + "] -> " + text);
  };
  if (!with_all_but("")) return "";
  for (const std::string& name : names)
    if (!with_all_but(name)) return name;
  return "";
}

template <class T>
T read(const IslContext& context, const char* what, const std::string& text) {
  check_isl_limits(what, text);
  try {
    return T(context.get(), text);
  } catch (const isl::exception& error) {
    check_operations_left(context, what);
    std::string line = shortened(text);
    std::ranges::replace(line, '\n', ' ');
    if (const std::string name = parameter_in<T>(context, text); !name.empty())
      refuse(std::string(what) + " `" + line + "` has the parameter " + name +
             "; must be a number");
    refuse(std::string(what) + " `" + line + "` is not isl text (" + words_of(error) + ")");
  }
}

/// Returns the largest value of dimension `i` plus one. Throws Error unless the smallest value is 0
/// and the result fits into 64 bits.
std::int64_t extent_of(const isl::set& set, int i, const std::string& name) {
  const isl::val low = set.dim_min_val(i), high = set.dim_max_val(i);
  const std::optional<std::int64_t> first = integer(low),
                                    last = integer(high.add(isl::val(set.ctx(), 1)));
  if (!first || !last)
    refuse("the range of " + name + " is " + to_text(low) + " .. " + to_text(high) +
           "; must be bounded by 64-bit numbers");
  if (*first != 0) refuse(name + " starts at " + std::to_string(*first) + "; must start at 0");
  return *last;
}

void check_names(const std::vector<std::string>& names) {
  if (names.empty() || names.size() > static_cast<std::size_t>(kMaxDims))
    refuse("the domain has " + std::to_string(names.size()) + " iterators; must be 1 to " +
           std::to_string(kMaxDims));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty() || std::ranges::count(names, names[i]) > 1)
      refuse("index " + std::to_string(i) +
             " of the domain is not an iterator of its own; must be one");
}

bool is_box(const Domain& domain) {
  if (is_plain_box(domain.set)) return true;
  const std::string text = box_text(tuple_name(domain.set), domain.names, domain.extents);
  return domain.set.is_equal(isl::set(domain.set.ctx(), text));
}

/// Returns one expression per index of `map`, which may still contain divisions and remainders.
/// Throws Error unless these expressions, without parameters, give exactly one element for each
/// iteration of the domain.
isl::multi_aff index_forms(const isl::map& map, const std::string& name, const Domain& domain) {
  if (has_parameters(map.wrap())) refuse(name + " is accessed with parameters; must be numbers");
  if (!map.domain().space().is_equal(domain.set.space()))
    refuse(name + " is not accessed from the iterations of the domain; must be " +
           tuple_name(domain.set) + " with " + std::to_string(domain.names.size()) + " iterators");
  if (!domain.set.is_subset(map.domain()))
    refuse(name + " is not accessed in every iteration of the domain; must be");
  if (!map.is_single_valued()) refuse(name + " has several elements per iteration; must have one");
  const isl::pw_multi_aff pieces = map.as_pw_multi_aff();
  if (pieces.n_piece() != 1)
    refuse(name + " is accessed in " + std::to_string(pieces.n_piece()) + " pieces; must be one");
  isl::multi_aff forms;
  pieces.foreach_piece([&forms](const isl::set&, const isl::multi_aff& piece) { forms = piece; });
  return forms;
}

/// Returns a coefficient or constant as a number. Throws Error unless `value` is a 64-bit integer.
std::int64_t whole(const isl::val& value, const std::string& index) {
  const std::optional<std::int64_t> number = integer(value);
  if (!number) refuse(index + " has the factor " + to_text(value) + "; must be a 64-bit integer");
  return *number;
}

DataDim read_index(const isl::aff& form, const std::string& index, const Domain& domain) {
  if (form.involves_locals()) refuse(index + " divides or takes a remainder; must be affine");
  DataDim data;
  data.offset = whole(form.constant_val(), index);
  std::int64_t last = data.offset;
  bool fits = true;
  for (int i = 0; i < static_cast<int>(domain.names.size()); ++i) {
    const std::int64_t factor = whole(coefficient(form, i), index);
    if (factor == 0) continue;
    const std::size_t at = static_cast<std::size_t>(i);
    if (factor < 0)
      refuse(index + " has " + std::to_string(factor) + domain.names[at] +
             "; factors must be positive");
    data.terms.push_back({Dim{i}, factor});
    std::int64_t span = 0;
    fits = fits && !__builtin_mul_overflow(factor, domain.extents[at] - 1, &span) &&
           !__builtin_add_overflow(last, span, &last);
  }
  fits = fits && !__builtin_add_overflow(last, std::int64_t{1}, &data.extent);
  if (!fits) refuse(index + " exceeds 2^63 - 1; must not");
  data.clipped = data.offset < 0;
  return data;
}

/// Throws Error unless C1 (access.h) holds. With C1, a footprint is a product over the indices.
void check_iterators_once(const TensorAccess& tensor, const Domain& domain) {
  PerDim<int> uses;
  for (const DataDim& data : tensor.data)
    for (const Term& term : data.terms)
      if (++uses[term.dim] > 1)
        refuse(tensor.name + " uses " + domain.names[static_cast<std::size_t>(index(term.dim))] +
               " in two indices; an iterator may occur in one index of a tensor");
}

Access read_access(isl::map map, const Domain& domain) {
  map = map.coalesce();
  Access access{map, {}};
  TensorAccess& tensor = access.tensor;
  if (!map.has_range_tuple_id()) refuse("an access has no tensor name; must be like A[i,k]");
  tensor.name = map.range_tuple_id().name();
  const isl::multi_aff forms = index_forms(map, tensor.name, domain);
  for (unsigned i = 0; i < forms.size(); ++i)
    tensor.data.push_back(read_index(forms.at(static_cast<int>(i)),
                                     "index " + std::to_string(i) + " of " + tensor.name, domain));
  check_iterators_once(tensor, domain);
  return access;
}

/// Returns the position in `text` (without blanks) of the arrow before the accessed tensor `name`.
/// isl does not keep the order of accesses.
std::size_t position(const std::string& text, const std::string& name) {
  std::string dense = text;
  std::erase_if(dense, [](unsigned char c) { return std::isspace(c) != 0; });
  return dense.find("->" + name + "[");
}

}  // namespace

Domain read_domain(const IslContext& context, const std::string& text) {
  Domain domain{read<isl::set>(context, "domain", text).coalesce(), {}, {}};
  if (has_parameters(domain.set)) refuse("the domain has parameters; sizes must be numbers");
  if (domain.set.is_empty()) refuse("the domain is empty; must hold at least one iteration");
  domain.names = dim_names(domain.set);
  check_names(domain.names);
  for (std::size_t i = 0; i < domain.names.size(); ++i)
    domain.extents.push_back(extent_of(domain.set, static_cast<int>(i), domain.names[i]));
  if (!is_box(domain))
    refuse(
        "the domain is not a box; must be 0 <= iterator < constant for each iterator, and no more");
  return domain;
}

std::vector<Access> read_accesses(const IslContext& context, const char* what,
                                  const std::string& text, const Domain& domain) {
  std::vector<Access> accesses;
  read<isl::union_map>(context, what, text).foreach_map([&](const isl::map& map) {
    accesses.push_back(read_access(map, domain));
  });
  const auto key = [&](const Access& access) {
    return std::pair(position(text, access.tensor.name), access.tensor.name);
  };
  std::ranges::sort(accesses, [&](const Access& a, const Access& b) { return key(a) < key(b); });
  return accesses;
}

}  // namespace tileplan
