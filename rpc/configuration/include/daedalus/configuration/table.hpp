// Strict TOML: every key is known, present, of its type and in its range, or the file is refused with one error that
// names file, key and remedy. Refuses to know what any key means.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::configuration {

/// Both ends inclusive.
struct IntegerRange {
  int64_t low = 0;
  int64_t high = 0;
};

/// One table of a file. Getters never fail by themselves: the first problem is kept with the file and comes out of
/// File::finish(); until then they return an empty value. Every key asked for is thereby known and, unless the getter
/// takes a default, required.
class Table {
 public:
  [[nodiscard]] std::string text(std::string_view key) const;  ///< Not empty.
  [[nodiscard]] int64_t integer(std::string_view key, IntegerRange range) const;
  /// Reads a key that may be left out; then it is `otherwise`.
  [[nodiscard]] int64_t integer_or(std::string_view key, IntegerRange range, int64_t otherwise) const;
  [[nodiscard]] std::string choice(std::string_view key, std::initializer_list<std::string_view> choices) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;  ///< May be an empty list.
  [[nodiscard]] std::vector<int64_t> integers(std::string_view key, IntegerRange range) const;  ///< May be empty.
  [[nodiscard]] Table table(std::string_view key) const;
  [[nodiscard]] std::vector<Table> tables(std::string_view key) const;  ///< At least one.
  /// "host:port" with a port from 1 to 65535.
  [[nodiscard]] std::string endpoint(std::string_view key) const;

  /// Returns whether the key is there; known from now on, it may be left out.
  [[nodiscard]] bool has(std::string_view key) const;

  /// Reports a problem of meaning with the value at `key`.
  void refuse(std::string_view key, const std::string& problem, const std::string& remedy) const;

 private:
  friend class File;
  struct State;
  struct Node;
  Table(std::shared_ptr<State> state, const void* table, std::string path);

  std::shared_ptr<State> state_;
  const void* table_;  ///< A toml::table of the file, or null after a problem.
  std::string path_;   ///< The path of this table, with a dot at the end unless it is the root.
};

/// One parsed file.
class File {
 public:
  /// Reads and parses. Errors (F0000): not readable; not TOML (line and column).
  [[nodiscard]] static Result<File> read(const std::string& path);

  [[nodiscard]] Table root() const;
  /// The first problem any getter found, or the first key nobody asked for. Call after all getters.
  [[nodiscard]] Result<void> finish() const;
  /// `path` as seen from this file's folder.
  [[nodiscard]] std::string resolve(const std::string& path) const;
  /// The bytes of the file.
  [[nodiscard]] const std::string& content() const;

 private:
  explicit File(std::shared_ptr<Table::State> state) : state_(std::move(state)) {}
  std::shared_ptr<Table::State> state_;
};

/// The problem and its remedy in one line, as a process prints it before it exits.
[[nodiscard]] std::string to_line(const Error& error);

}  // namespace daedalus::configuration
