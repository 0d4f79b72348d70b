// Whatever the text: an operation or one error, no crash, and what is accepted passes every node's own check.
#include "daedalus/base/check.hpp"
#include "sql_fixture.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus;
  static const auto schema = aggregator::testing::test_schema();
  static aggregator::Compiler compiler(schema, aggregator::testing::test_map());
  wire::v1::StatementBody statement;
  statement.set_sql(std::string(reinterpret_cast<const char*>(data), size));
  *statement.add_parameters() = aggregator::testing::untyped("1");
  if (auto described = compiler.describe(statement.sql()); !described) {
    CHECK(described.error().sqlstate.size() == 5 && !described.error().message.empty());
  }
  auto compiled = compiler.compile(statement, aggregator::testing::kNowUs);
  if (!compiled) {
    CHECK(compiled.error().sqlstate.size() == 5 && !compiled.error().message.empty());
    return 0;
  }
  if (const auto* select = std::get_if<aggregator::CompiledSelect>(&*compiled)) {
    wire::v1::ResultForm form{};
    const auto body =
        contract::from_selection(*schema, *select->selection, select->condition.get(), wire::v1::RESULT_FORM_PARTIAL);
    CHECK(contract::to_selection(*schema, body, &form).has_value());
  }
  return 0;
}
