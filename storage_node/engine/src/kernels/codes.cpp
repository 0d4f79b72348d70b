#include "codes.hpp"

namespace daedalus::engine {

CodeRule code_rule(Native native, uint32_t width) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  constexpr uint32_t kCodeBytes = 8;
  CodeRule rule{.shift = width < kCodeBytes ? 64 - 8 * width : 0};
  switch (native) {
    case Native::kBool:
      return rule;
    case Native::kInt16:
    case Native::kInt32:
    case Native::kInt64:
      rule.flip = kSign;
      return rule;
    case Native::kInt128:
      rule.flip = kSign;
      rule.offset = width - kCodeBytes;
      rule.is_exact = false;
      return rule;
    case Native::kFloat:
    case Native::kDouble:
      rule.is_floating = true;
      return rule;
    case Native::kDecimal:
    case Native::kInterval:
    case Native::kBytes:
      rule.is_text = true;
      rule.is_exact = width <= kCodeBytes;
      return rule;
  }
  check_failed("a known plane", __FILE__, __LINE__);
}

}  // namespace daedalus::engine
