// SPDX-License-Identifier: Apache-2.0
// `tileplan movement` counts the elements that enter one cache for a loop order and a tile.
#include "tileplan/movement.h"

#include <cctype>
#include <charconv>
#include <iostream>
#include <sstream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/text.h"
#include "verbs.h"

namespace tileplan {
namespace {

struct MovementFlags : PlanFlags {
  std::string order, tile, within;
  bool clip = false;
};

/// Splits a list at its commas: "k16, c8" becomes "k16" and "c8". Returns no parts for empty text.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text.empty() ? text : text + ',');
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t begin = part.find_first_not_of(' ');
    parts.push_back(begin == std::string::npos
                        ? ""
                        : part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return parts;
}

/// Returns the loop whose size `part` gives, such as "k" for "k16". Returns the longest such name,
/// because names of loops may start alike, or "" when no loop fits.
std::string loop_of(const std::string& part, const std::vector<LoopExtent>& loops) {
  std::string found;
  for (const auto& [name, extent] : loops) {
    if (name.size() <= found.size() || !part.starts_with(name)) continue;
    const bool goes_on = part.size() == name.size() ||
                         std::isalpha(static_cast<unsigned char>(part[name.size()])) != 0;
    if (!goes_on) found = name;
  }
  return found;
}

std::string names_of(const std::vector<LoopExtent>& loops) {
  std::string names;
  for (const LoopExtent& loop : loops) names.append(names.empty() ? "" : ", ").append(loop.name);
  return names;
}

[[noreturn]] void refuse(const std::string& flag, const std::string& why) {
  throw Error(flag + ": " + why);
}

/// Returns the sizes that a text such as "k16,c8,h7" gives, by name of the loop. Throws Error with
/// the name of `flag` for other texts and for loops that appear twice.
std::map<std::string, std::int64_t> sizes_of(const std::string& flag, const std::string& text,
                                             const std::vector<LoopExtent>& loops) {
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& part : parts_of(text)) {
    const std::string name = loop_of(part, loops);
    std::int64_t size = 0;
    const char* end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data() + name.size(), end, size);
    if (name.empty() || error != std::errc{} || rest != end)
      refuse(flag, "'" + part + "'; must be a size like " + loops.back().name + "4 of one of " +
                       names_of(loops));
    if (!sizes.emplace(name, size).second) refuse(flag, name + " appears twice; must appear once");
  }
  return sizes;
}

void print_movement(const MovementFlags& flags) {
  const Problem problem = parse_problem(flags.problem);
  const std::vector<LoopExtent> loops = loops_of(problem);
  const std::vector<TensorMovement> tensors =
      movement(problem, {.order = parts_of(flags.order),
                         .tile = sizes_of("--tile", flags.tile, loops),
                         .box = sizes_of("--within", flags.within, loops),
                         .clip = flags.clip});
  std::vector<std::vector<std::string>> rows{
      {"tensor", "footprint of the tile, elements", "volume, elements"}};
  Json volumes = Json::object(), footprints = Json::object();
  for (const auto& [tensor, footprint, volume] : tensors) {
    rows.push_back({tensor, std::to_string(footprint), std::to_string(volume)});
    volumes[tensor] = volume;
    footprints[tensor] = footprint;
  }
  if (flags.json)
    print_json({{"volumes", volumes}, {"footprints", footprints}});
  else
    std::cout << table_text(rows, terminal_style());
}

}  // namespace

void add_movement(CLI::App& app) {
  auto flags = std::make_shared<MovementFlags>();
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
