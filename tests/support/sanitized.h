// SPDX-License-Identifier: Apache-2.0
// This file tells tests whether they run with AddressSanitizer or ThreadSanitizer, which slow them
// down.
#pragma once

namespace tileplan::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace tileplan::test
