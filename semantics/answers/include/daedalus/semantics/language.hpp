// The language of messages and logs: which number stands for which function, form, aggregate, operator and kind of
// value, which kinds may become which, and which builds know it.
//
// Numbers are only ever added. Each addition makes a new version of the language, and a build knows the hashes of all
// versions that its own contains. Decides which of two builds understands what the other says. Refuses to know how the
// hashes travel and where they are kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/selection.hpp"

namespace daedalus::semantics {

/// The language numbers these kinds of things.
enum class LanguageKind : uint8_t { kFunction, kAggregate, kType, kCast };

/// As rpc/vectors/language.tsv calls it.
[[nodiscard]] std::string_view kind_name(LanguageKind kind);

/// Gives the number of a kCast.
[[nodiscard]] constexpr uint32_t cast_number(TypeKind from, TypeKind to) {
  return static_cast<uint32_t>(from) * 1'000 + static_cast<uint32_t>(to);
}

/// A number that came later than with the first version.
struct LaterNumber {
  LanguageKind kind = LanguageKind::kFunction;
  uint32_t number = 0;
  uint32_t since = 0;  ///< The first version that has it.
};

class Language {
 public:
  /// `hashes` has one of each version, the oldest first. Precondition: at least one, and `later` is of these versions.
  Language(std::vector<uint64_t> hashes, const std::vector<LaterNumber>& later);

  /// That of this build.
  [[nodiscard]] static const Language& own();

  /// Versions are counted from 1.
  [[nodiscard]] uint32_t version() const { return static_cast<uint32_t>(hashes_.size()); }
  [[nodiscard]] uint64_t hash() const { return hashes_.back(); }
  [[nodiscard]] const std::vector<uint64_t>& hashes() const { return hashes_; }
  /// Lists the numbers that came after the first version.
  [[nodiscard]] std::vector<LaterNumber> later() const;

  /// The version that has this hash; 0, which was written before there were hashes, is the first one. Nothing where
  /// this language does not contain it.
  [[nodiscard]] std::optional<uint32_t> version_of(uint64_t hash) const;
  /// The newest version that both this build and another one have, whose hashes are these; none are the first one.
  /// Nothing where neither build contains the other's language.
  [[nodiscard]] std::optional<uint32_t> common_version(std::span<const uint64_t> theirs) const;

  /// The first version that has the number.
  [[nodiscard]] uint32_t since(LanguageKind kind, uint32_t number) const;
  /// The name of something in the query that this version lacks; nothing where it has all. Cost: one pass over the
  /// query's expressions, none where the version is this build's.
  [[nodiscard]] std::optional<std::string> lacking(uint32_t version, const Selection& selection) const;
  [[nodiscard]] std::optional<std::string> lacking(uint32_t version, const BoundExpression& expression) const;

 private:
  std::vector<uint64_t> hashes_;
  std::map<std::pair<LanguageKind, uint32_t>, uint32_t> later_;
};

}  // namespace daedalus::semantics
