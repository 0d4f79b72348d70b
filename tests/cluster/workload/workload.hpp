// Random updates and questions over one table, from the simulation's own randomness: what is asked (question.hpp), and
// the body and routes in which it travels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/contract/shape.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/rpc/random.hpp"
#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

constexpr uint32_t kPlace = 1;
/// Places are 0 up to this.
constexpr int64_t kPlaces = 12;

/// id bigint, place int (what rows are placed by), amount int NULL, note varchar(8) NULL, and by shape further columns.
/// Keys are few, so that updates collide.
enum class TableShape : uint8_t {
  kSmall,        ///< No further ones.
  kWide,         ///< Three of varchar(4096), full in a few rows.
  kManyColumns,  ///< Hundreds of four types: more than the sketches of a row have places for.
};

[[nodiscard]] semantics::Schema simulated_schema(TableShape shape);

class Workload {
 public:
  /// An update as it is where the clock says something else than its parts need.
  struct ByClock {
    int64_t before_us = 0;  ///< Microseconds since 1970: its parts hold where now() is less.
    std::vector<PlainPart> otherwise;
    std::string otherwise_body;
  };
  Workload(const semantics::Schema& schema, const contract::PartitionMap& map, rpc::Random& random)
      : schema_(schema), map_(map), random_(random) {}

  struct Update {
    std::vector<PlainPart> parts;
    std::string body;
    std::vector<wire::v1::Route> routes;
    std::optional<std::string> text;  ///< SQL, where one statement can say it.
    std::vector<uint32_t> returning;  ///< Columns that the text's INSERT gives back; none: it has no RETURNING.
    std::optional<ByClock> by_clock;
  };
  [[nodiscard]] Update next_update();
  /// One INSERT; its body is not made.
  [[nodiscard]] Update next_insert();
  /// One UPDATE or DELETE that no other mark's is the same as, and which does what it would do without; its body is not
  /// made.
  [[nodiscard]] Update next_modify(int64_t mark);
  /// Rows that are what `parts` says where now() is before then, a full second, and others otherwise. To be submitted
  /// as SQL: `body` is what comes of the text in the first case.
  [[nodiscard]] Update next_update_by_clock(int64_t before_us);

  struct Query {
    Question question;
    std::string body;  ///< SelectBody, RESULT_FORM_FINAL.
    std::vector<wire::v1::Route> routes;
    std::string text;           ///< The question as SQL.
    std::string prepared_text;  ///< The question as SQL with parameters,
    std::vector<wire::v1::Constant> parameters;
    std::shared_ptr<const contract::ShapeBytes>
        /// The shape of the question, RESULT_FORM_FINAL, and its values; null: it has none.
        shape;
    std::string shape_values;
  };
  [[nodiscard]] Query next_query();
  /// Returns the same question where now() is before then, a full second, and one of nothing otherwise.
  [[nodiscard]] Query until(const Query& query, int64_t before_us) const;
  /// Returns a question to a table with wide columns: for more than a row of an answer may hold.
  [[nodiscard]] Query too_wide_query();
  /// Everything.
  [[nodiscard]] Query whole_table() const;
  /// Every row of one place.
  [[nodiscard]] Query rows_at(int64_t place) const;

 private:
  void draw_returning(Update& update);
  [[nodiscard]] PlainInsert draw_insert();
  [[nodiscard]] PlainModify draw_modify();
  [[nodiscard]] PlainDelete draw_delete();
  [[nodiscard]] Row draw_row();
  [[nodiscard]] semantics::Value draw_value(const semantics::Type& type);
  [[nodiscard]] semantics::Expression draw_filter();
  [[nodiscard]] semantics::Expression draw_pinned();
  [[nodiscard]] Question draw_question();
  void draw_list(Question& question);
  void draw_groups(Question& question);
  void draw_sets(Question& question);
  void draw_aggregates(Question& question);
  [[nodiscard]] PlainOutput draw_aggregate();
  void draw_order(Question& question);
  void draw_equals(Question& question);
  void draw_limit(Question& question);
  [[nodiscard]] uint32_t draw_column();
  [[nodiscard]] int64_t draw_place() { return random_.between(0, kPlaces - 1); }
  [[nodiscard]] Query query(Question question) const;

  const semantics::Schema& schema_;
  const contract::PartitionMap& map_;
  rpc::Random& random_;
  int64_t next_id_ = 1;
};

}  // namespace daedalus::testing
