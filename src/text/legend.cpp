// SPDX-License-Identifier: Apache-2.0
// The legend has one line for each word: first kinds of loops, then marks of schedules, then rules
// of the search.
#include "legend.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace tileplan {
namespace {

using Meaning = std::pair<std::string, std::string>;

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> list{
      {"L(", "is a loop whose blocks have several sizes"},
      {"P(", "is a loop whose steps run on several threads"},
      {"pack=in@", "names the loop, counted from 0, inside which the input is packed"},
      {"pack=out@", "names the loop, counted from 0, inside which outputs are collected in a box"},
      {"pack=weights@", "names the loop, counted from 0, inside which weights are packed"},
      {"weights=plain", "means that weights are read as they are stored"},
      {"winograd=", "gives the rows and columns of outputs in a tile of a Winograd convolution"},
      {"prefetch=", "tells how many summed steps ahead weights are prefetched"},
      {"ahead=", "names the loop, counted from 0, whose next step has its data prefetched into L2"},
      {" nt", "means that stores of outputs bypass the caches"},
      {"isa=", "names the vectors or tiles of V where they are not the widest of the machine"},
      {" widen", "means that bf16 is widened to f32 and multiplied without vdpbf16ps"},
      {"lru2", "lets a cache keep a tile if two consecutive tiles fit in it"},
      {"(ideal)", "lets a cache keep a tile if this tile fits in it"},
      {"(ways)", "lets a cache keep a tile if its tensors fit in whole ways of the cache"}};
  return list;
}

/// Returns a text such as ": L(h,[2*11,1*12]) has 2 blocks of 11, then 1 of 12" for the first loop
/// of `text` that starts with "L(", or an empty text if there is none or it is incomplete.
std::string first_blocks(const std::string& text) {
  const std::size_t begin = text.find("L(");
  const std::size_t end = text.find("])", begin);
  const std::size_t list = text.find('[', begin);
  if (begin == std::string::npos || end == std::string::npos || list > end) return "";
  std::string blocks;
  std::istringstream parts(text.substr(list + 1, end - list - 1));
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t star = part.find('*');
    if (star == std::string::npos) return "";
    const std::string times = part.substr(0, star);
    const std::string unit = times == "1" ? " block of " : " blocks of ";
    blocks += (blocks.empty() ? times + unit : ", then " + times + " of ") + part.substr(star + 1);
  }
  return ": " + text.substr(begin, end + 2 - begin) + " has " + blocks;
}

}  // namespace

std::vector<Meaning> legend_of(const std::string& text) {
  std::vector<Meaning> found;
  std::ranges::copy_if(meanings(), std::back_inserter(found), [&](const Meaning& each) {
    return text.find(each.first) != std::string::npos;
  });
  for (auto& [word, meaning] : found)
    if (word == "L(") meaning += first_blocks(text);
  return found;
}

std::string legend_text(const std::string& text) {
  std::string lines;
  for (const auto& [word, meaning] : legend_of(text))
    lines.append(word.substr(word.find_first_not_of(' '))).append(" ").append(meaning).append("\n");
  return lines;
}

}  // namespace tileplan
