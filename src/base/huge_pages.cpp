// SPDX-License-Identifier: Apache-2.0
// A region of memory begins at the boundary of a huge page. Pieces are cut from it one after
// another, and it is freed with its last piece.
#include "huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

namespace tileplan {
namespace {

// Gives the size of cache lines and of AVX-512 registers in bytes.
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kRegion = 8 * kHugePage;
constexpr std::size_t kLeast = std::size_t{16} << 10;

struct Region {
  std::size_t bytes = 0, used = 0;
  int pieces = 0;
};

/// Holds the regions of memory that are not yet freed, by their addresses.
class Regions {
 public:
  char* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (open_ == nullptr || regions_.at(open_).bytes - regions_.at(open_).used < bytes) {
      // A large piece gets a region of its own, so that the rest of the open region stays usable.
      if (bytes > kRegion / 4) return cut(add(bytes), bytes);
      open_ = add(kRegion);
    }
    return cut(open_, bytes);
  }

  /// Frees the piece at `memory`, and its region if this is the last piece. Returns false if
  /// `memory` belongs to no region.
  bool free(const char* memory) noexcept {
    const std::lock_guard lock(mutex_);
    auto found = regions_.upper_bound(const_cast<char*>(memory));
    if (found == regions_.begin()) return false;
    --found;
    auto& [start, region] = *found;
    if (memory >= start + region.bytes) return false;
    if (--region.pieces > 0) return true;
    if (start == open_) open_ = nullptr;
    ::operator delete[](start, std::align_val_t{kHugePage});
    regions_.erase(found);
    return true;
  }

 private:
  char* add(std::size_t bytes) {
    auto* const memory = static_cast<char*>(::operator new[](bytes, std::align_val_t{kHugePage}));
    // A failure is harmless: small pages only cause more misses of the TLB.
    madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    regions_.emplace(memory, Region{.bytes = bytes});
    return memory;
  }

  char* cut(char* start, std::size_t bytes) {
    Region& region = regions_.at(start);
    char* const piece = start + region.used;
    region.used =
        std::min(region.bytes, (region.used + bytes + kAlignment - 1) / kAlignment * kAlignment);
    ++region.pieces;
    return piece;
  }

  std::mutex mutex_;
  std::map<char*, Region> regions_;
  char* open_ = nullptr;
};

/// Returns the regions. They are never destroyed, because static objects may free pieces when the
/// process ends.
Regions& regions() {
  static Regions& all = *new Regions;
  return all;
}

}  // namespace

char* allocate_in_huge_pages(std::size_t bytes) {
  if (bytes >= kLeast) return regions().allocate(bytes);
  return static_cast<char*>(
      ::operator new[](std::max<std::size_t>(bytes, 1), std::align_val_t{kAlignment}));
}

void free_in_huge_pages(char* memory) noexcept {
  if (memory != nullptr && !regions().free(memory))
    ::operator delete[](memory, std::align_val_t{kAlignment});
}

}  // namespace tileplan
