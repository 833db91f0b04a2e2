// SPDX-License-Identifier: Apache-2.0
// This file names the members of Overheads, for machine files and for the study that varies them.
#pragma once

#include "tileplan/rates.h"

namespace tileplan {

struct NamedOverhead {
  const char* name;
  double& (*of)(Overheads& all);
};

constexpr NamedOverhead kOverheads[] = {
    {"dispatch_cycles", [](Overheads& all) -> double& { return all.dispatch_cycles; }},
    {"run_cycles", [](Overheads& all) -> double& { return all.run_cycles; }},
    {"packed_row_cycles", [](Overheads& all) -> double& { return all.packed_row_cycles; }},
    {"packed_pixel_cycles", [](Overheads& all) -> double& { return all.packed_pixel_cycles; }},
    {"packed_channel_cycles", [](Overheads& all) -> double& { return all.packed_channel_cycles; }},
    {"transposed_cycles", [](Overheads& all) -> double& { return all.transposed_cycles; }},
    {"near_row_cycles", [](Overheads& all) -> double& { return all.rows_in_place.near; }},
    {"near_prefetched_row_cycles",
     [](Overheads& all) -> double& { return all.rows_in_place.near_prefetched; }},
    {"crowded_row_cycles", [](Overheads& all) -> double& { return all.rows_in_place.crowded; }},
    {"crowded_prefetched_row_cycles",
     [](Overheads& all) -> double& { return all.rows_in_place.crowded_prefetched; }},
    {"apart_row_cycles", [](Overheads& all) -> double& { return all.rows_in_place.evicted; }},
    {"apart_prefetched_row_cycles",
     [](Overheads& all) -> double& { return all.rows_in_place.evicted_prefetched; }},
    {"many_pages_row_cycles",
     [](Overheads& all) -> double& { return all.rows_in_place.in_many_pages; }},
    {"prefetch_cycles", [](Overheads& all) -> double& { return all.prefetch_cycles; }},
    {"short_rows_from_second_level",
     [](Overheads& all) -> double& { return all.short_rows.from_second_level; }},
    {"short_rows_from_cache", [](Overheads& all) -> double& { return all.short_rows.from_cache; }},
    {"short_rows_from_memory",
     [](Overheads& all) -> double& { return all.short_rows.from_memory; }},
    {"exposed_share", [](Overheads& all) -> double& { return all.exposed_share; }},
    {"start_cycles", [](Overheads& all) -> double& { return all.start_cycles; }},
    {"fork_seconds", [](Overheads& all) -> double& { return all.fork_seconds; }}};

}  // namespace tileplan
