// Which sanitizers a test runs under: some end the program where the system would refuse, hold
// signals back, or bring their own memory; all take their time.
#pragma once

#ifdef __has_feature
#define VYRE_HAS_FEATURE(name) __has_feature(name)
#else
#define VYRE_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || VYRE_HAS_FEATURE(address_sanitizer)
#define VYRE_ADDRESS_SANITIZER 1
#else
#define VYRE_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || VYRE_HAS_FEATURE(thread_sanitizer)
#define VYRE_THREAD_SANITIZER 1
#else
#define VYRE_THREAD_SANITIZER 0
#endif

namespace vyre {

inline constexpr bool kSanitized = VYRE_ADDRESS_SANITIZER != 0 || VYRE_THREAD_SANITIZER != 0;

}  // namespace vyre
