// Tests what threads do with a statement, and in which order its jobs wait: by client, and by size.
#include "pool_jobs.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace daedalus::aggregator {
namespace {

using postgres::Work;

/// Returns a compiler for `numbers`, whose only column is `id`, an int.
std::unique_ptr<Compiler> compiler_of_one_column() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "numbers";
  schema->fingerprint = "test";
  schema->columns = {{"id", {semantics::TypeKind::kInt}, false, std::nullopt}};
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->grid = {1};
  map->partitions = {{NodeId{0}}};
  return std::make_unique<Compiler>(std::move(schema), std::move(map));
}

CompiledStatement compiled(uint64_t ticket, const std::string& sql) {
  CompileRequest request;
  request.ticket = CompileTicket{ticket};
  request.statement.set_sql(sql);
  return compile(request, *compiler_of_one_column(), /*now_us=*/0);
}

JobSize size_of(decltype(Work::what) what) { return tag_of(JobTicket{1}, {rpc::PeerId{1}, {1, std::move(what)}}).size; }

TEST(PoolJobsTest, AStatementIsCompiledUnderItsTicket) {
  const CompiledStatement select = compiled(7, "SELECT id FROM numbers");
  EXPECT_EQ(select.ticket, CompileTicket{7});
  ASSERT_TRUE(select.compiled);
  EXPECT_TRUE(std::holds_alternative<CompiledSelect>(*select.compiled));
  const CompiledStatement wrong = compiled(8, "SELEC id FROM numbers");
  EXPECT_EQ(wrong.ticket, CompileTicket{8});
  EXPECT_EQ(wrong.compiled.error().sqlstate, "42601");
}

TEST(PoolJobsTest, OnlyUpdatesAreLongForTheCore) {
  EXPECT_TRUE(is_update(compiled(1, "INSERT INTO numbers VALUES (1)")));
  EXPECT_TRUE(is_update(compiled(1, "DELETE FROM numbers WHERE id = 1")));
  EXPECT_FALSE(is_update(compiled(1, "SELECT id FROM numbers")));
  EXPECT_FALSE(is_update(compiled(1, "DELETE FROM nowhere")));
}

TEST(PoolJobsTest, ARequestIsItsClientsAndAsLargeAsTheCoreSays) {
  CompileRequest request;
  request.ticket = CompileTicket{7};
  request.client = rpc::PeerId{8};
  request.bytes = kSmallJobBytesMax;
  const JobTag tag = tag_of(request);
  EXPECT_EQ(tag.ticket, JobTicket{7});
  EXPECT_EQ(tag.client, JobClient{8});
  EXPECT_EQ(tag.size, JobSize::kSmall);
  ++request.bytes;
  EXPECT_EQ(tag_of(request).size, JobSize::kLarge);
}

TEST(PoolJobsTest, WorkOfASessionIsTheSessions) {
  const JobTag tag = tag_of(JobTicket{7}, {rpc::PeerId{8}, {9, Work::Describe{"SELECT 1", {}}}});
  EXPECT_EQ(tag.ticket, JobTicket{7});
  EXPECT_EQ(tag.client, JobClient{8});
}

TEST(PoolJobsTest, StatementsOfSessionsAreLargeByTheirText) {
  const std::string small(kSmallJobBytesMax, ' ');
  const std::string large(kSmallJobBytesMax + 1, ' ');
  EXPECT_EQ(size_of(Work::Describe{small, {}}), JobSize::kSmall);
  EXPECT_EQ(size_of(Work::Describe{large, {}}), JobSize::kLarge);
  EXPECT_EQ(size_of(Work::Locate{small}), JobSize::kSmall);
  EXPECT_EQ(size_of(Work::Locate{large}), JobSize::kLarge);
  Work::Compile insert;
  insert.statement.set_sql("INSERT INTO numbers VALUES ($1)");
  EXPECT_EQ(size_of(insert), JobSize::kSmall);
  insert.statement.add_parameters()->set_packed(large);
  EXPECT_EQ(size_of(insert), JobSize::kLarge) << "parameters count";
}

TEST(PoolJobsTest, TextsToTakeApartAndPiecesOfACopyAreLarge) {
  EXPECT_EQ(size_of(Work::Split{std::make_shared<const std::string>("a; b")}), JobSize::kLarge);
  EXPECT_EQ(size_of(Work::Convert{nullptr, "1\n", true}), JobSize::kLarge);
}

}  // namespace
}  // namespace daedalus::aggregator
