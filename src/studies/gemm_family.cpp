// SPDX-License-Identifier: Apache-2.0
// This file goes through the products of the study `gemmfamily`, and writes its table and summary.
#include "gemm_measurement.h"
#include "mapped.h"
#include "peer_run.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

std::string conditions_of(const StudyOptions& options, const Machine& machine,
                          const std::vector<Peer>& peers) {
  std::string text = joined(
      "# f32, hot caches, 1 thread (parallel: ", machine.cores, "); seed ", options.seed,
      ", at most ", options.budget_seconds, " s per product, ", options.measurements,
      " pairs\n# B3C2A0, A3C2B0, C3B2A0 and C3A2B0 are left out: no microkernel keeps A or B in "
      "registers\n# times include packing, but rows with 'packed before' do not include that of "
      "B\n");
  for (const Peer& peer : peers)
    text += joined("# ", peer.name, ": ",
                   peer.left_out.empty() ? peer.version : "left out: " + peer.left_out, '\n');
  return text;
}

void require_products(const StudyOptions& options) {
  require_pairs(options);
  for (const Problem& problem : options.layers) {
    const auto* const shape = std::get_if<GemmShape>(&problem);
    if (shape == nullptr || shape->b != 1 || shape->types != TensorTypes{})
      throw Error("gemmfamily: " + to_string(problem) + "; must be one matrix product in f32");
  }
}

}  // namespace

void study_gemm_family(const Machine& machine, const StudyOptions& options,
                       const std::vector<Peer>& peers, const Print& print) {
  require_products(options);
  StudyFolder folder(options, print);
  const StudyHead head = study_head("gemmfamily", machine, options,
                                    conditions_of(options, machine, peers), gemm_columns());
  StudyTable table(folder.path("gemmfamily.csv"), head, options.resume);
  std::vector<std::string> names;
  for (const Peer& peer : peers)
    if (peer.left_out.empty()) names.push_back(peer.name);
  const double peak = measure_peak_flops(machine.vector.isa);
  folder.say(head.facts + head.date + gemm_line_head());
  std::vector<GemmRow> all;
  std::size_t done = 0;
  for (const Problem& problem : options.layers) {
    folder.show(done++, options.layers.size());
    std::vector<GemmRow> rows = mapped(table.rows(to_string(problem)), read_gemm_row);
    if (rows.empty()) {
      rows = measure_gemm_family(std::get<GemmShape>(problem), machine, options, names, peak);
      if (stop_requested()) break;
      table.add(mapped(rows, to_fields));
    }
    folder.say(gemm_line(rows));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  if (!all.empty()) folder.say(gemm_totals(all));
}

}  // namespace tileplan
