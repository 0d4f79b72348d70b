// Random acts of clients of PostgreSQL's protocol, over what the workload asks and writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "act.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "workload.hpp"

namespace daedalus::testing {

class ActMaker {
 public:
  /// Takes note of a submission of these parts, which travel as these bytes; gives it a number.
  using Register = std::function<uint64_t(std::vector<PlainPart> parts, std::string body)>;

  ActMaker(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map,
           Workload& workload, rpc::Random& random, Register note_submission);

  [[nodiscard]] Act draw_read();
  [[nodiscard]] Act draw_write();
  /// A time about which queries with now() may turn.
  void set_wall_clock(int64_t now_us) { wall_clock_us_ = now_us; }

 private:
  // ---- reads ----
  [[nodiscard]] Act simple();
  [[nodiscard]] Act extended();
  [[nodiscard]] Act pipeline();
  /// One with a name, several times: from the second on it goes by slot.
  [[nodiscard]] Act repeated();
  [[nodiscard]] Act portal();
  /// Makes an act that reads the same rows from BEGIN to COMMIT, with a Sync behind each Execute.
  [[nodiscard]] Act portal_in_block();
  [[nodiscard]] ActStatement draw_query();
  [[nodiscard]] ActStatement draw_wrong();
  /// Parse, Bind, perhaps Describe.
  void open(Act& act, ActStep& step, ActStatement statement, const std::string& portal);
  /// With parameters in place of some values, which are returned, or as it is.
  [[nodiscard]] std::vector<ValueText> draw_parameters(Act& act, ActStatement& statement);
  /// Bind, perhaps Describe, of a statement of this name.
  void bind(ActStep& step, size_t statement, const std::string& portal, const std::string& name,
            const std::vector<ValueText>& parameters);
  /// Executes up to the last one; the last has no limit.
  void execute(ActStep& step, size_t statement);

  // ---- writes ----
  [[nodiscard]] Act change();
  [[nodiscard]] Act group();
  [[nodiscard]] Act block();
  /// Writes, and the update that they are together.
  struct Writes {
    std::vector<ActStatement> statements;
    std::vector<PlainPart> parts;
    wire::v1::UpdateBody body;
    uint32_t rows = 0;  ///< That are inserted.
  };
  void draw_insert(Writes& writes);
  void draw_modify(Writes& writes);
  [[nodiscard]] std::vector<ActStatement> submit(Act& act, Writes writes);
  [[nodiscard]] std::vector<ActStatement> draw_inserts(Act& act, uint64_t count);
  void write_extended(Act& act, ActStep& step, ActStatement statement);

  // ---- steps ----
  static size_t add(Act& act, ActStep& step, ActStatement statement);
  static void expect(ActStep& step, Expected::Kind kind, size_t statement = 0, uint32_t rows_max = 0);
  static void sync(ActStep& step);
  static void add_simple(Act& act, ActStatement statement, bool decides);
  [[nodiscard]] static ActStatement command(const std::string& word);
  [[nodiscard]] uint32_t draw_limit() { return static_cast<uint32_t>(random_.between(1, 6)); }

  const std::shared_ptr<const semantics::Schema> schema_;
  aggregator::Compiler compiler_;
  Workload& workload_;
  rpc::Random& random_;
  const Register register_;
  int64_t wall_clock_us_ = 0;
  int64_t last_mark_ = 0;
  uint64_t last_name_ = 0;
};

}  // namespace daedalus::testing
