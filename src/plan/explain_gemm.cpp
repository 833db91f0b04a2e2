// SPDX-License-Identifier: Apache-2.0
// The table of occupancies has the columns in which papers on the GEMM family compare block sizes:
// the block, its share of the cache, and the largest share that the closed form allows. Shares are
// of the whole cache, as in these papers, and not of the usable capacity. The closed form is that
// of Low et al., "Analytical Modeling Is Enough for High-Performance BLIS" (2016).
#include "explain_gemm.h"

#include <algorithm>

#include "gemm_blocks.h"
#include "gemm_order.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

/// Describes the block that one cache holds while a variant runs.
struct HeldBlock {
  const char* operand;
  std::int64_t rows, columns;
};

GemmOccupancy occupancy_in(const CacheLevel& cache, const HeldBlock& held,
                           std::int64_t element_bytes) {
  GemmOccupancy result{.cache = cache.name,
                       .operand = held.operand,
                       .rows = held.rows,
                       .columns = held.columns,
                       .bytes = held.rows * held.columns * element_bytes};
  result.share = static_cast<double>(result.bytes) / static_cast<double>(cache.capacity_bytes);
  return result;
}

/// Returns the blocks of the three operands in each of the first three caches. The first cache
/// holds panels of one register tile, the second the block that the loops ir and jr read again, and
/// the third the block of the outermost loops. With `keeps_b`, the third cache keeps B, as in
/// B3A2C0, and otherwise A.
std::vector<GemmOccupancy> occupancy_of(const GemmBlocks& blocks, bool keeps_b,
                                        const std::vector<CacheLevel>& caches,
                                        std::int64_t element_bytes) {
  const auto [mc, nc, kc, mr, nr] = blocks;
  const std::vector<std::vector<HeldBlock>> levels{
      {{"A", mr, kc}, {"B", kc, nr}, {"C", mr, nr}},
      keeps_b ? std::vector<HeldBlock>{{"A", mc, kc}, {"B", kc, nr}, {"C", mc, nr}}
              : std::vector<HeldBlock>{{"A", mr, kc}, {"B", kc, nc}, {"C", mr, nc}},
      {{"A", mc, kc}, {"B", kc, nc}, {"C", mc, nc}}};
  std::vector<GemmOccupancy> all;
  for (std::size_t l = 0; l < std::min(levels.size(), caches.size()); ++l)
    for (const HeldBlock& held : levels[l])
      all.push_back(occupancy_in(caches[l], held, element_bytes));
  return all;
}

/// Exchanges A and B, because the variant A3B2C0 (gemm_variant.h) is B3A2C0 of the transposed
/// product.
GemmSizes exchanged(GemmSizes sizes) {
  std::swap(sizes.m, sizes.n);
  std::swap(sizes.mr, sizes.nr);
  return sizes;
}

GemmBlocks exchanged(GemmBlocks blocks) {
  std::swap(blocks.mc, blocks.nc);
  std::swap(blocks.mr, blocks.nr);
  return blocks;
}

/// Adds the largest shares that the formula of Low et al. gives to panels and to the block in the
/// second cache. With `keeps_b`, the third cache keeps B, as in B3A2C0, and otherwise A.
void add_most_shares(const GemmShares& shares, bool keeps_b, std::vector<GemmOccupancy>& all) {
  const char* const in_second = keeps_b ? "A" : "B";
  const std::string second = all.size() > 3 ? all[3].cache : "";
  for (GemmOccupancy& one : all) {
    if (one.cache == all.front().cache && one.operand == in_second)
      one.most_share = shares.a_in_first;
    else if (one.cache == all.front().cache && one.operand != "C")
      one.most_share = shares.b_in_first;
    else if (one.cache == second && one.operand == in_second)
      one.most_share = shares.a_in_second;
  }
}

std::string blocks_text(const GemmBlocks& blocks) {
  return "mc " + std::to_string(blocks.mc) + ", nc " + std::to_string(blocks.nc) + ", kc " +
         std::to_string(blocks.kc) + ", mr " + std::to_string(blocks.mr) + ", nr " +
         std::to_string(blocks.nr);
}

/// Returns the operands in the order of the caches that keep them, such as "B in L3, A in L2, C in
/// registers".
std::string residents_text(GemmVariant variant) {
  const std::string name = to_string(variant);
  std::string text(1, name[0]);
  text += " in L3, ";
  text += name[2];
  text += " in L2, ";
  text += name[4];
  return text + " in registers";
}

std::string share_text(double share) { return share == 0 ? "" : fixed(100 * share, 2) + " %"; }

std::string size_text(const GemmOccupancy& one) {
  return std::to_string(one.rows) + " x " + std::to_string(one.columns);
}

}  // namespace

GemmExplanation explain_gemm(const Computation& computation, const Nest& nest,
                             const Machine& machine) {
  const GemmOrder order = gemm_order(computation, nest);
  GemmExplanation result{.variant = order.variant, .blocks = order.blocks};
  if (!order.variant)
    result.why_none = "its loops " + order.order +
                      " around the microkernel are in the order of no variant with C in registers";
  if (machine.caches.empty()) return result;
  const auto& gemm = std::get<GemmShape>(computation.problem);
  const GemmSizes given{.m = gemm.m,
                        .n = gemm.n,
                        .k = gemm.k,
                        .mr = order.blocks.mr,
                        .nr = order.blocks.nr,
                        .element_bytes = computation.tensor(Operand::input).element_bytes()};
  const bool keeps_b = order.variant != GemmVariant::a3b2c0;
  const GemmSizes sizes = keeps_b ? given : exchanged(given);
  const GemmBlocks blocks = closed_form_blocks(sizes, machine.caches);
  result.closed_form = keeps_b ? blocks : exchanged(blocks);
  const auto occupancy = [&](const GemmBlocks& of) {
    std::vector<GemmOccupancy> all = occupancy_of(of, keeps_b, machine.caches, given.element_bytes);
    add_most_shares(closed_form_shares(sizes, machine.caches), keeps_b, all);
    return all;
  };
  result.occupancy = occupancy(result.blocks);
  result.closed_form_occupancy = occupancy(*result.closed_form);
  return result;
}

std::string gemm_text(const GemmExplanation& gemm, TextStyle style) {
  std::string text;
  if (gemm.variant)
    text = "variant " + to_string(*gemm.variant) + ": " + residents_text(*gemm.variant) +
           "; loops " + loops_text(*gemm.variant) + '\n';
  else
    text = "none of the six variants: " + gemm.why_none +
           "; the table shows its blocks as if it were B3A2C0\n";
  text += "blocks of this schedule: " + blocks_text(gemm.blocks) + '\n';
  if (!gemm.closed_form) return fitted(text, style);
  text += "closed form for this register tile: " + blocks_text(*gemm.closed_form) + "\n\n";
  std::vector<std::vector<std::string>> rows{
      {"cache", "operand", "block", "bytes", "share", "closed form", "share", "at most"}};
  for (std::size_t i = 0; i < gemm.occupancy.size(); ++i) {
    const GemmOccupancy &ours = gemm.occupancy[i], &theirs = gemm.closed_form_occupancy[i];
    rows.push_back({ours.cache, ours.operand, size_text(ours), std::to_string(ours.bytes),
                    share_text(ours.share), size_text(theirs), share_text(theirs.share),
                    share_text(theirs.most_share)});
  }
  return fitted(text, style) + table_text(rows, style);
}

}  // namespace tileplan
