// CHECK: our own bugs end the process, in every build; DCHECK is for kernels and hot loops.
#pragma once

namespace daedalus {

/// Prints what failed and where to standard error and aborts. Never returns.
[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace daedalus

#define CHECK(expression) \
  (static_cast<bool>(expression) ? void(0) : ::daedalus::check_failed(#expression, __FILE__, __LINE__))

#ifdef DAEDALUS_DCHECK
#define DCHECK(expression) CHECK(expression)
#else
#define DCHECK(expression) (true ? void(0) : void(static_cast<bool>(expression)))
#endif
