#include "printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace daedalus::semantics::regular {
namespace {

/// RE2 takes no more repetitions than these, those within others multiplied.
constexpr uint64_t kRepetitionsMax = 1'000;

void print(const Node& node, std::string& out);

void print(char32_t code, std::string& out) {
  const bool is_plain = (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z');
  if (is_plain) {
    out += static_cast<char>(code);
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{{{:x}}}", static_cast<uint32_t>(code));
  }
}

void print(const CharacterSet& set, std::string& out) {
  if (set.is_full()) {
    out += "(?s:.)";
  } else if (set.ranges().empty()) {
    out += "[^\\x{0}-\\x{10ffff}]";
  } else if (const auto single = set.single()) {
    print(*single, out);
  } else {
    out += '[';
    for (const auto& [first, last] : set.ranges()) {
      print(first, out);
      if (first != last) {
        out += '-';
        print(last, out);
      }
    }
    out += ']';
  }
}

std::string_view printed(Assertion assertion) {
  switch (assertion) {
    case Assertion::kTextBegin:
      return "\\A";
    case Assertion::kTextEnd:
      return "\\z";
    case Assertion::kLineBegin:
      return "(?m:^)";
    case Assertion::kLineEnd:
      return "(?m:$)";
    case Assertion::kWordEdge:
      return "\\b";
    case Assertion::kNoWordEdge:
      return "\\B";
    case Assertion::kWordBegin:
    case Assertion::kWordEnd:
      break;
  }
  return {};
}

uint64_t repetitions(const Node& node) {
  uint64_t within = 1;
  for (const Node& part : node.parts) {
    within = std::max(within, repetitions(part));
  }
  const bool is_counted = node.kind == Node::Kind::kRepetition && (node.least > 1 || node.most > 1);
  return is_counted ? within * (node.most == kUnbounded ? std::max(node.least, 1U) : node.most) : within;
}

void print_bound(uint32_t least, uint32_t most, std::string& out) {
  if (most == kUnbounded && least <= 1) {
    out += least == 0 ? '*' : '+';
  } else if (least == 0 && most == 1) {
    out += '?';
  } else if (most == kUnbounded) {
    fmt::format_to(std::back_inserter(out), "{{{},}}", least);
  } else {
    fmt::format_to(std::back_inserter(out), "{{{},{}}}", least, most);
  }
}

void append(const std::string& text, std::string& out) { out += out.size() < kPatternSizeMax ? text : std::string(); }

/// One repetition behind the other, for RE2 would not take their number.
void print_one_by_one(const Node& node, const std::string& part, std::string& out) {
  for (uint32_t number = 0; number < node.least; ++number) {
    append(part, out);
  }
  if (node.most == kUnbounded) {
    append(part + "*", out);
    return;
  }
  for (uint32_t number = node.least; number < node.most; ++number) {
    append("(?:" + part, out);
  }
  for (uint32_t number = node.least; number < node.most; ++number) {
    append(")?", out);
  }
}

void print_repetition(const Node& node, std::string& out) {
  std::string part = "(?:";
  print(node.parts[0], part);
  part += ')';
  if (repetitions(node) > kRepetitionsMax) {
    print_one_by_one(node, part, out);
    return;
  }
  append(part, out);
  print_bound(node.least, node.most, out);
}

void print_choice(const Node& node, std::string& out) {
  out += "(?:";
  for (const Node& part : node.parts) {
    if (&part != &node.parts.front()) {
      out += '|';
    }
    print(part, out);
  }
  out += ')';
}

void print(const Node& node, std::string& out) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
      return;
    case Node::Kind::kSet:
      print(node.set, out);
      return;
    case Node::Kind::kAssertion:
      out += printed(node.assertion);
      return;
    case Node::Kind::kSequence:
      for (const Node& part : node.parts) {
        print(part, out);
      }
      return;
    case Node::Kind::kChoice:
      print_choice(node, out);
      return;
    case Node::Kind::kRepetition:
      print_repetition(node, out);
      return;
    case Node::Kind::kCapture:
      print(node.parts[0], out);
      return;
  }
}

}  // namespace

std::string printed(const Node& node) { return printed(std::span(&node, 1)); }

std::string printed(std::span<const Node> nodes) {
  std::string out;
  for (const Node& node : nodes) {
    print(node, out);
  }
  return out;
}

}  // namespace daedalus::semantics::regular
