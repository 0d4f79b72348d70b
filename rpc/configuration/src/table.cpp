#include "daedalus/configuration/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace daedalus::configuration {

namespace {

constexpr int64_t kPortMax = 65535;

const char* type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

bool is_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() || text.size() - colon > 6) {
    return false;
  }
  int64_t port = 0;
  for (const char digit : text.substr(colon + 1)) {
    if (digit < '0' || digit > '9') {
      return false;
    }
    port = port * 10 + (digit - '0');
  }
  return port >= 1 && port <= kPortMax;
}

}  // namespace

/// Shared by a file and its tables.
struct Table::State {
  std::string path;
  std::string content;
  toml::table root;
  std::set<std::string> known;  ///< Paths of keys asked for.
  std::optional<Error> problem;

  void refuse(const std::string& key, const std::string& what, const std::string& remedy) {
    if (!problem) {
      problem = rejected("F0000", fmt::format("{}: {}: {}", path, key, what), remedy);
    }
  }
};

/// Finding a node of a wanted type, with the error when there is none.
struct Table::Node {
  static const toml::node* find(const Table& table, std::string_view key, std::string_view wanted) {
    if (table.table_ == nullptr) {
      return nullptr;
    }
    const std::string path = table.path_ + std::string(key);
    table.state_->known.insert(path);
    const toml::node* node = static_cast<const toml::table*>(table.table_)->get(key);
    if (node == nullptr) {
      table.state_->refuse(path, "missing", fmt::format("add it; it is {}", wanted));
    }
    return node;
  }

  static void wrong_type(const Table& table, std::string_view key, const toml::node& node, std::string_view wanted) {
    table.state_->refuse(
        table.path_ + std::string(key),
        fmt::format("{} in line {}, where {} belongs", type_name(node), node.source().begin.line, wanted),
        fmt::format("make it {}", wanted));
  }

  static const toml::array* list(const Table& table, std::string_view key, std::string_view wanted) {
    const toml::node* node = find(table, key, wanted);
    if (node != nullptr && !node->is_array()) {
      wrong_type(table, key, *node, wanted);
      return nullptr;
    }
    return node == nullptr ? nullptr : node->as_array();
  }
};

Table::Table(std::shared_ptr<State> state, const void* table, std::string path)
    : state_(std::move(state)), table_(table), path_(std::move(path)) {}

std::string Table::text(std::string_view key) const {
  const toml::node* node = Node::find(*this, key, "a text");
  if (node == nullptr) {
    return {};
  }
  const auto* value = node->as_string();
  if (value == nullptr) {
    Node::wrong_type(*this, key, *node, "a text");
    return {};
  }
  if (value->get().empty()) {
    refuse(key, "is empty", "give it a value");
  }
  return value->get();
}

int64_t Table::integer(std::string_view key, IntegerRange range) const {
  const std::string wanted = fmt::format("an integer from {} to {}", range.low, range.high);
  const toml::node* node = Node::find(*this, key, wanted);
  if (node == nullptr) {
    return range.low;
  }
  const auto* value = node->as_integer();
  if (value == nullptr) {
    Node::wrong_type(*this, key, *node, wanted);
    return range.low;
  }
  if (value->get() < range.low || value->get() > range.high) {
    refuse(key, fmt::format("{} is out of range", value->get()), fmt::format("make it {}", wanted));
    return range.low;
  }
  return value->get();
}

int64_t Table::integer_or(std::string_view key, IntegerRange range, int64_t otherwise) const {
  if (table_ != nullptr && static_cast<const toml::table*>(table_)->get(key) == nullptr) {
    state_->known.insert(path_ + std::string(key));
    return otherwise;
  }
  return integer(key, range);
}

bool Table::has(std::string_view key) const {
  state_->known.insert(path_ + std::string(key));
  return table_ != nullptr && static_cast<const toml::table*>(table_)->get(key) != nullptr;
}

std::string Table::choice(std::string_view key, std::initializer_list<std::string_view> choices) const {
  std::string value = text(key);
  if (!value.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    refuse(key, fmt::format("\"{}\" is not known", value), fmt::format("use \"{}\"", fmt::join(choices, "\" or \"")));
  }
  return value;
}

std::vector<std::string> Table::texts(std::string_view key) const {
  std::vector<std::string> values;
  const toml::array* list = Node::list(*this, key, "a list of texts");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (const auto* value = list->get(i)->as_string(); value != nullptr && !value->get().empty()) {
      values.push_back(value->get());
    } else {
      Node::wrong_type(*this, key, *list->get(i), "a text that is not empty");
      return {};
    }
  }
  return values;
}

std::vector<int64_t> Table::integers(std::string_view key, IntegerRange range) const {
  const std::string wanted = fmt::format("a list of integers from {} to {}", range.low, range.high);
  std::vector<int64_t> values;
  const toml::array* list = Node::list(*this, key, wanted);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto* value = list->get(i)->as_integer();
    if (value == nullptr) {
      Node::wrong_type(*this, key, *list->get(i), wanted);
      return {};
    }
    if (value->get() < range.low || value->get() > range.high) {
      refuse(key, fmt::format("{} is out of range", value->get()), fmt::format("make it {}", wanted));
      return {};
    }
    values.push_back(value->get());
  }
  return values;
}

Table Table::table(std::string_view key) const {
  const toml::node* node = Node::find(*this, key, "a table");
  if (node != nullptr && !node->is_table()) {
    Node::wrong_type(*this, key, *node, "a table");
    node = nullptr;
  }
  return Table(state_, node == nullptr ? nullptr : node->as_table(), path_ + std::string(key) + ".");
}

std::vector<Table> Table::tables(std::string_view key) const {
  std::vector<Table> found;
  const toml::array* list = Node::list(*this, key, "a list of tables");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (!list->get(i)->is_table()) {
      Node::wrong_type(*this, key, *list->get(i), "a table");
      return {};
    }
    found.push_back(Table(state_, list->get(i)->as_table(), fmt::format("{}{}[{}].", path_, key, i)));
  }
  if (list != nullptr && list->empty()) {
    refuse(key, "is empty", "list at least one");
  }
  return found;
}

std::string Table::endpoint(std::string_view key) const {
  std::string value = text(key);
  if (!value.empty() && !is_endpoint(value)) {
    refuse(key, fmt::format("\"{}\" is not host:port", value),
           "write it as 127.0.0.1:7410, with a port from 1 to 65535");
  }
  return value;
}

void Table::refuse(std::string_view key, const std::string& problem, const std::string& remedy) const {
  state_->refuse(path_ + std::string(key), problem, remedy);
}

Result<File> File::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (!in || !(bytes << in.rdbuf())) {
    return rejected("F0000", fmt::format("{}: cannot be read", path), "name a file that exists and may be read");
  }
  auto state = std::make_shared<Table::State>();
  state->path = path;
  state->content = bytes.str();
  try {
    state->root = toml::parse(std::string_view(state->content), path);
  } catch (const toml::parse_error& error) {
    const auto where = error.source().begin;
    return rejected("F0000", fmt::format("{}:{}:{}: {}", path, where.line, where.column, error.description()),
                    "correct the TOML there");
  }
  return File(std::move(state));
}

Table File::root() const { return Table(state_, &state_->root, ""); }

namespace {

/// The first key below `table` that is not known, or nothing.
std::optional<std::string> first_unknown(const toml::table& table, const std::string& path,
                                         const std::set<std::string>& known) {
  for (const auto& [key, node] : table) {
    const std::string name = path + std::string(key.str());
    if (!known.contains(name)) {
      return name;
    }
    if (const auto* inner = node.as_table()) {
      if (auto found = first_unknown(*inner, name + ".", known)) {
        return found;
      }
    }
    const auto* list = node.as_array();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto* inner = list->get(i)->as_table();
      if (auto found =
              inner == nullptr ? std::nullopt : first_unknown(*inner, fmt::format("{}[{}].", name, i), known)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<void> File::finish() const {
  if (!state_->problem) {
    if (const auto unknown = first_unknown(state_->root, "", state_->known)) {
      state_->refuse(*unknown, "is not a known key", "remove it, or correct its spelling");
    }
  }
  if (state_->problem) {
    return *state_->problem;
  }
  return {};
}

std::string File::resolve(const std::string& path) const {
  const std::filesystem::path wanted(path);
  return wanted.is_absolute() ? path : (std::filesystem::path(state_->path).parent_path() / wanted).string();
}

const std::string& File::content() const { return state_->content; }

std::string to_line(const Error& error) {
  return error.hint.empty() ? error.message : fmt::format("{}; {}", error.message, error.hint);
}

}  // namespace daedalus::configuration
