// SPDX-License-Identifier: Apache-2.0
// Each mark of a schedule has one line, in the order in which schedules list their marks.
#include "legend.h"

#include <algorithm>
#include <iterator>

namespace tileplan {
namespace {

using Meaning = std::pair<std::string, std::string>;

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> list{
      {"L(",
       "is a loop whose blocks have two sizes: 2*11,1*12 are two blocks of 11, then one of 12"},
      {"P(", "is a loop whose steps run on several threads"},
      {"pack=in@", "names the loop, counted from 0, inside which the input is packed"},
      {"pack=weights@", "names the loop, counted from 0, inside which weights are packed"},
      {"weights=plain", "means that weights are read as they are stored"},
      {"winograd=", "gives the rows and columns of outputs in a tile of a Winograd convolution"},
      {"prefetch=", "tells how many summed steps ahead weights are prefetched"},
      {"ahead=", "names the loop, counted from 0, whose next step has its data prefetched into L2"},
      {" nt", "means that stores of outputs bypass the caches"},
      {"isa=", "names the vectors or tiles of V where they are not the widest of the machine"},
      {"lru2", "lets a cache keep a tile if two consecutive tiles fit in it"},
      {"(ideal)", "lets a cache keep a tile if this tile fits in it"},
      {"(ways)", "lets a cache keep a tile if its tensors fit in whole ways of the cache"}};
  return list;
}

}  // namespace

std::vector<Meaning> legend_of(const std::string& text) {
  std::vector<Meaning> found;
  std::ranges::copy_if(meanings(), std::back_inserter(found), [&](const Meaning& each) {
    return text.find(each.first) != std::string::npos;
  });
  return found;
}

std::string legend_text(const std::string& text) {
  std::string lines;
  for (const auto& [word, meaning] : legend_of(text))
    lines.append(word.substr(word.find_first_not_of(' '))).append(" ").append(meaning).append("\n");
  return lines;
}

}  // namespace tileplan
