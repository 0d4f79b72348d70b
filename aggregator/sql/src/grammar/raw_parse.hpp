// A text as PostgreSQL's parser leaves it: its own structures, in its own memory.
#pragma once

#include "daedalus/base/result.hpp"
// Nothing is included behind it.
#include "postgres_nodes.hpp"

extern "C" {
/// The result of libpg_query's parser. The library exports the parser's functions, and has no header for them.
struct PostgresParse {
  List* tree;
  char* stderr_buffer;
  PgQueryError* error;
};
}

namespace daedalus::aggregator::sql {

/// The memory that the parser takes in between.
class ParserMemory {
 public:
  ParserMemory();
  ~ParserMemory();
  ParserMemory(const ParserMemory&) = delete;
  ParserMemory& operator=(const ParserMemory&) = delete;

 private:
  MemoryContext context_;
};

/// A text's raw parse. Its tree goes with the memory, the rest with this.
class RawParse {
 public:
  explicit RawParse(const char* sql);
  ~RawParse();
  RawParse(const RawParse&) = delete;
  RawParse& operator=(const RawParse&) = delete;

  [[nodiscard]] const ::List* statements() const { return parse_.tree; }
  [[nodiscard]] bool has_failed() const { return parse_.error != nullptr; }
  /// With its place. Precondition: has_failed().
  [[nodiscard]] Error error() const;

 private:
  ParserMemory memory_;
  PostgresParse parse_;
};

}  // namespace daedalus::aggregator::sql
