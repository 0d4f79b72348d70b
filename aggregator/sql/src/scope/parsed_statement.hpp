// One SQL text, parsed once: what the statement cache keeps.
//
// Decides what a statement may measure and turns PostgreSQL's answer into a typed tree or one clear error. Refuses to
// know schema, parameters and time: those are bound afterwards, for every execution anew.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arena.hpp"
#include "daedalus/base/result.hpp"
#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// An immutable parse tree and its text. Shared by every thread that executes the statement.
class ParsedStatement {
 public:
  /// Parses exactly one statement.
  ///
  /// Errors carry the position: 42601 syntax, or not exactly one statement; 54000 text too long; 54001 too complex;
  /// 22021 not UTF-8. Cost: one look at the tokens, PostgreSQL's parser, and one pass over its tree.
  [[nodiscard]] static Result<std::shared_ptr<const ParsedStatement>> parse(std::string_view text);

  ParsedStatement(const ParsedStatement&) = delete;
  ParsedStatement& operator=(const ParsedStatement&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The statement's node.
  [[nodiscard]] const grammar::Node& root() const { return root_; }
  /// Byte offset of the statement's first word.
  [[nodiscard]] int32_t location() const { return location_; }
  /// Position for users of a byte offset: characters, from 1; 0 for none (a negative offset).
  [[nodiscard]] uint32_t position(int32_t location) const;

 private:
  explicit ParsedStatement(std::string_view text);
  [[nodiscard]] Error error(std::string sqlstate, std::string message, int32_t location, std::string hint = {}) const;
  [[nodiscard]] Result<void> check_text() const;
  [[nodiscard]] Result<void> read_tree();

  std::string text_;
  Arena arena_;
  grammar::Node root_;  ///< Its details and all below them lie in the arena.
  int32_t location_ = 0;
};

}  // namespace daedalus::aggregator::sql
