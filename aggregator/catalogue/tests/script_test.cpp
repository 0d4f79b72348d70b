// Tests the script that makes a catalogue's database.
#include "daedalus/catalogue/script.hpp"

#include <gmock/gmock.h>

namespace daedalus::catalogue {
namespace {

using semantics::TypeKind;
using ::testing::HasSubstr;

semantics::Schema schema() {
  semantics::Schema made;
  made.table_name = "odd \"name";
  made.columns = {{"id", {TypeKind::kBigint}, false, std::nullopt},
                  {"Price", {TypeKind::kNumeric, 9, 2}, true, semantics::Decimal{-250, 2}},
                  {"code", {TypeKind::kChar, 0, 0, 3}, false, std::string("it's")},
                  {"yes", {TypeKind::kBool}, true, true},
                  {"day", {TypeKind::kDate}, true, int64_t{0}}};
  made.primary_key = {0, 2};
  return made;
}

TEST(ScriptTest, TheTableHasTheColumnsDefaultsAndKeyOfTheSchema) {
  EXPECT_EQ(create_table(schema()),
            "CREATE TABLE public.\"odd \"\"name\" (\n"
            "  \"id\" bigint NOT NULL,\n"
            "  \"Price\" numeric(9,2) DEFAULT -2.50,\n"
            "  \"code\" character(3) NOT NULL DEFAULT 'it''s',\n"
            "  \"yes\" boolean DEFAULT true,\n"
            "  \"day\" date DEFAULT '1970-01-01',\n"
            "  PRIMARY KEY (\"id\", \"code\")\n)");
}

TEST(ScriptTest, OneDatabaseIsNamedLikeTheTableAndTheOtherHasNone) {
  const Script script = make_script(schema());
  EXPECT_EQ(script.in_template, "ALTER DATABASE postgres RENAME TO \"odd \"\"name\";\n\n");
  EXPECT_THAT(script.in_database, HasSubstr("ALTER DATABASE \"template1\" RENAME TO \"postgres\";\n\n"));
  EXPECT_THAT(script.in_database, HasSubstr("DROP DATABASE \"template0\";\n\n"));
  for (const std::string& text : {script.in_database, script.in_other}) {
    EXPECT_THAT(text, HasSubstr("REVOKE EXECUTE ON ROUTINE"));
  }
  semantics::Schema postgres = schema();
  postgres.table_name = "postgres";
  EXPECT_EQ(make_script(postgres).in_template, "");
  EXPECT_EQ(make_script(postgres).in_other, "");
  EXPECT_THAT(make_script(postgres).in_database, HasSubstr("DROP DATABASE \"template1\";\n\n"));
}

TEST(ScriptTest, TextsAreQuotedWhateverIsInThem) {
  EXPECT_EQ(quoted_text("a'b"), "'a''b'");
  EXPECT_EQ(quoted_text("a\\b"), "E'a\\\\b'");
  EXPECT_EQ(quoted_name("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace daedalus::catalogue
