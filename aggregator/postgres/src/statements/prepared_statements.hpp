// The statements of a session that are prepared, by their names; the empty name is the one of the protocol's statement
// without a name.
//
// Decides how many there may be, which of them go by handle, and what columns answers by handle have. Refuses to know
// who runs them, and how a statement is described.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "requests.hpp"
#include "statement_handles.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// A statement that has been described.
struct Prepared {
  std::string sql;
  Command command;
  std::vector<ParameterType> parameters;
  uint32_t parameters_unused = 0;                 ///< So many of the last ones take values, and are not used.
  bool is_catalogue_cursor = false;               ///< A DECLARE whose query the catalogue runs.
  std::vector<semantics::Column> columns;         ///< None: it gives no rows.
  std::vector<uint16_t> origins = {};             ///< Each column's in the table; none where that is not known.
  std::vector<semantics::Column> cursor_columns;  ///< A DECLARE's query gives these, once it has been described.
  /// The catalogue describes a statement that it runs: types of its parameters and columns; what is above knows nothing
  /// of them.
  std::shared_ptr<const catalogue::Answer> catalogue;
  std::shared_ptr<const Error> mistake = nullptr;  ///< With it, it is never bound.
  /// The order of dates that its session had when it was prepared. Nothing: it runs at once.
  std::optional<semantics::DateOrder> dates = {};
  std::shared_ptr<RegisteredStatement> registered = nullptr;  ///< Null: its text always goes with it.
};

[[nodiscard]] size_t column_count(const Prepared& prepared);
[[nodiscard]] std::vector<uint32_t> parameter_oids(const Prepared& prepared);
/// The types that its client has declared.
[[nodiscard]] std::vector<std::optional<aggregator::ParameterKind>> declared_of(const Prepared& prepared);
/// Returns whether its texts are read in the usual order, so that its description holds for other sessions, too.
[[nodiscard]] bool has_usual_order(const Prepared& prepared);

/// Refuses a statement that was prepared in another order of dates than its session has now, and has a literal that is
/// another date in this one: PostgreSQL has read it then. Errors: 0A000.
[[nodiscard]] Result<void> check_dates(const Prepared& prepared, semantics::DateOrder now);

/// The columns that an answer says it has.
[[nodiscard]] std::vector<semantics::Column> answer_columns(const wire::v1::QueryRows& rows);

class PreparedStatements {
 public:
  using Statement = std::shared_ptr<const Prepared>;

  /// The options outlive this.
  explicit PreparedStatements(const SessionOptions& options) : options_(options) {}

  /// Null: there is none of this name.
  [[nodiscard]] Statement find(std::string_view name) const;
  /// Errors, where no statement of this name may be added: 42P05 there is one; 54000 there are too many.
  [[nodiscard]] Result<void> check_room(std::string_view name, size_t sql_size) const;
  /// In the place of the one of this name.
  void keep(const std::string& name, Prepared prepared);
  /// The one without a name is this one again; null: there is none.
  void put_back_unnamed(Statement statement);
  void drop(std::string_view name);
  void drop_all();
  /// Drops all at the end of the session, when nobody asks for handles any longer.
  void clear() { by_name_.clear(); }

  // ---- those that go by handle ----
  /// Returns the handle where the core has the text of a statement that is about to run, from now on at the latest; 0:
  /// none.
  [[nodiscard]] uint32_t handle_of(const Prepared& prepared, Requests& requests);
  /// Learns them from any answer that they come with: whoever waited for that may have given up.
  void learn_columns(const wire::v1::QueryRows& rows);
  /// Returns the statement that was defined under this sequence, most likely this one; null: nobody has it any more.
  [[nodiscard]] std::shared_ptr<RegisteredStatement> find_registered(const Prepared& prepared, uint64_t sequence) const;
  /// Returns how the statement's columns were described last; null: not in these formats, with this number of the
  /// table.
  [[nodiscard]] static const std::string* find_description(const Prepared& prepared,
                                                           const std::vector<int16_t>& formats, uint32_t table);
  void keep_description(const Prepared& prepared, std::string_view description, const std::vector<int16_t>& formats,
                        uint32_t table);

  /// The bytes of texts and names, of what the core has by handles, and of descriptions.
  [[nodiscard]] uint64_t bytes() const { return text_bytes_ + (handles_ == nullptr ? 0 : handles_->bytes()); }

 private:
  using ByName = std::map<std::string, Statement, std::less<>>;

  void add(const std::string& name, Statement statement);
  /// For a statement that may go into a handle.
  [[nodiscard]] std::shared_ptr<RegisteredStatement> make_registered();
  void drop_registered(const Prepared& prepared);

  const SessionOptions& options_;
  ByName by_name_;
  size_t text_bytes_ = 0;
  std::unique_ptr<StatementHandles> handles_;  ///< Once a statement may go into one.
};

}  // namespace daedalus::postgres
