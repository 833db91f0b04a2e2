// SPDX-License-Identifier: Apache-2.0
// `tileplan movement` counts the elements that enter one cache for a loop order and a tile.
#include "movement.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <iostream>
#include <set>

#include "clipped.h"
#include "documents.h"
#include "flags.h"
#include "footprint.h"
#include "integers.h"
#include "text_template.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string order, tile, within;
  bool clip = false;
};

/// Splits "k16,c8" into "k16" and "c8". Empty text has no parts.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  boost::split(parts, text, [](char c) { return c == ','; });
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

/// Returns the dim with the longest name that `part` starts with and no letter follows.
Dim dim_of_size(const char* flag, const std::string& part, const Computation& computation) {
  std::size_t length = 0;
  Dim found{};
  for (int d = 0; d < computation.dims(); ++d) {
    const std::string& name = computation.name(Dim{d});
    if (name.size() <= length || !part.starts_with(name)) continue;
    if (part.size() > name.size() && is_letter(part[name.size()])) continue;
    length = name.size();
    found = Dim{d};
  }
  if (length == 0)
    throw Error(std::string(flag) + ": " + tileplan::quoted(part) + "; must be a size like " +
                computation.names.back() + "4 of one of " + comma_separated(computation.names));
  return found;
}

/// Returns `sizes` after `text` has replaced some of them. Each must be at most its `most`.
Tile sizes_of(const char* flag, const std::string& text, const Computation& computation, Tile sizes,
              const Tile& most) {
  std::set<Dim> seen;
  for (const std::string& part : parts_of(text)) {
    const Dim dim = dim_of_size(flag, part, computation);
    const std::string& name = computation.name(dim);
    const std::string what = std::string(flag) + ": the size of " + name;
    sizes[dim] = number_from(1, what, std::string_view(part).substr(name.size()));
    if (sizes[dim] > most[dim])
      throw Error(what + " is " + std::to_string(sizes[dim]) + "; must be at most " +
                  std::to_string(most[dim]));
    if (!seen.insert(dim).second)
      throw Error(std::string(flag) + ": " + name + " is there twice; must be once");
  }
  return sizes;
}

LoopOrder order_of(const std::string& text, const Computation& computation) {
  LoopOrder order;
  for (const std::string& part : parts_of(text)) {
    const auto found = std::ranges::find(computation.names, part);
    if (found == computation.names.end())
      throw Error("--order: " + tileplan::quoted(part) + "; must be one of " +
                  comma_separated(computation.names));
    const Dim dim{static_cast<int>(found - computation.names.begin())};
    if (std::ranges::count(order, dim) > 0)
      throw Error("--order: " + part + " is there twice; must be once");
    order.push_back(dim);
  }
  return order;
}

struct Nested {
  LoopOrder order;
  Tile tile{}, within{};
};

void check_looped(const Computation& computation, const Nested& nested) {
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    if (std::ranges::count(nested.order, dim) == 0 && nested.tile[dim] < nested.within[dim])
      throw Error("--order: " + computation.name(dim) + " is missing; its tile of " +
                  std::to_string(nested.tile[dim]) + " needs a loop to cover " +
                  std::to_string(nested.within[dim]));
  }
}

/// Throws Error when the iterations do not fit in 64 bits. No volume is larger than their number.
void check_countable(const Computation& computation, const Tile& within) {
  std::int64_t iterations = 1;
  for (int d = 0; d < computation.dims(); ++d)
    if (multiply_overflows(iterations, within[Dim{d}], iterations))
      throw Error("--within: more than 2^63 - 1 iterations; must be fewer to be counted");
}

Nested nested_of(const Flags& flags, const Computation& computation) {
  Tile ones, extents;
  for (int d = 0; d < computation.dims(); ++d) {
    ones[Dim{d}] = 1;
    extents[Dim{d}] = computation.extent(Dim{d});
  }
  Nested nested{.order = order_of(flags.order, computation)};
  nested.within = sizes_of("--within", flags.within, computation, extents, extents);
  nested.tile = sizes_of("--tile", flags.tile, computation, ones, nested.within);
  check_looped(computation, nested);
  check_countable(computation, nested.within);
  return nested;
}

PerTensor<std::int64_t> footprints(const Computation& computation, const Tile& tile) {
  PerTensor<std::int64_t> result;
  for (std::size_t t = 0; t < result.values.size(); ++t)
    result.values[t] = footprint(computation.tensors[t], tile);
  return result;
}

void print_text(const Computation& computation, const PerTensor<std::int64_t>& moved,
                const PerTensor<std::int64_t>& held) {
  std::vector<std::vector<std::string>> rows{
      {"tensor", "footprint of the tile, elements", "volume, elements"}};
  for (std::size_t t = 0; t < moved.values.size(); ++t)
    rows.push_back({computation.tensors[t].name, std::to_string(held.values[t]),
                    std::to_string(moved.values[t])});
  std::cout << aligned(rows);
}

void print_movement(const Flags& flags) {
  const Computation computation = computation_of(parse_problem(flags.problem));
  const auto [order, tile, within] = nested_of(flags, computation);
  const PerTensor<std::int64_t> moved = flags.clip
                                            ? clipped_volumes(computation, order, tile, within)
                                            : volumes(computation, order, tile, within);
  const PerTensor<std::int64_t> held =
      flags.clip ? clipped_footprints(computation, tile, within) : footprints(computation, tile);
  if (!flags.json) return print_text(computation, moved, held);
  print_json(
      {{"volumes", per_tensor(computation, moved)}, {"footprints", per_tensor(computation, held)}});
}

}  // namespace

void add_movement(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("movement", "Count the elements that enter a cache that holds one tile.");
  add_problem(*verb, flags->problem)->required();
  verb->add_option(
          "--order", flags->order,
          "Nest the tile loops in this order, outermost first: n,k,h,w,c,r,s. Loops that the "
          "tile covers may be left out.")
      ->required();
  verb->add_option("--tile", flags->tile,
                   "Give the tile these sizes: k16,c8,h7. Sizes left out are 1.");
  verb->add_option("--within", flags->within,
                   "Cover this box from iteration 0 on instead of the problem: k32,h14. Sizes left "
                   "out are those of the problem.");
  verb->add_flag("--clip", flags->clip,
                 "Count the elements of the arrays without padding. The footprint is that of the "
                 "fullest tile.");
  add_flags(*verb, *flags, {"--json"});
  verb->callback([flags] { print_movement(*flags); });
}

}  // namespace tileplan
