/* What the C interface promises, seen from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daedalus/engine/engine.h"

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static const daedalus_column kColumns[] = {
    {.name = "id", .type = DAEDALUS_INT, .not_null = true},
    {.name = "code", .type = DAEDALUS_CHAR, .length = 3},
    {.name = "price", .type = DAEDALUS_NUMERIC, .precision = 10, .scale = 2},
    {.name = "day", .type = DAEDALUS_DATE},
};
enum { kColumnCount = 4 };

static daedalus_engine* open_engine(const daedalus_engine_options* options) {
  daedalus_error error;
  daedalus_engine* engine = daedalus_engine_create(kColumns, kColumnCount, options, &error);
  EXPECT(engine != NULL);
  return engine;
}

static void enqueue(daedalus_engine* engine, daedalus_operation operation) {
  daedalus_error error;
  if (!daedalus_engine_enqueue(engine, &operation, &error)) {
    fprintf(stderr, "%s %s\n", error.sqlstate, error.message);
    exit(1);
  }
}

static void expect_refused(daedalus_engine* engine, daedalus_operation operation, const char* sqlstate) {
  daedalus_error error;
  EXPECT(!daedalus_engine_enqueue(engine, &operation, &error));
  EXPECT(strcmp(error.sqlstate, sqlstate) == 0);
  EXPECT(error.message[0] != '\0');
  EXPECT(!daedalus_engine_enqueue(engine, &operation, NULL));
}

static daedalus_output* next(daedalus_engine* engine, daedalus_output_kind kind, uint64_t id) {
  daedalus_output* output = daedalus_engine_dequeue(engine);
  EXPECT(output != NULL);
  EXPECT(daedalus_output_get_kind(output) == kind);
  EXPECT(daedalus_output_id(output) == id);
  return output;
}

static void expect_updated(daedalus_engine* engine, uint64_t timestamp, uint64_t rows, uint64_t refused) {
  daedalus_output* output = next(engine, DAEDALUS_UPDATED, timestamp);
  EXPECT(daedalus_output_row_count(output) == rows);
  EXPECT(daedalus_output_refused_count(output) == refused);
  EXPECT(daedalus_output_is_last(output) && daedalus_output_prefix(output) == timestamp);
  EXPECT(!daedalus_output_next_row(output));
  daedalus_output_free(output);
}

static void expect_text(const daedalus_output* output, uint32_t column, const char* text) {
  const char* found = daedalus_output_text(output, column);
  EXPECT((found == NULL) == (text == NULL));
  EXPECT(text == NULL || strcmp(found, text) == 0);
}

static void insert_four(daedalus_engine* engine) {
  static const char* const kRows[] = {"1", "ZRH", "10.50", "2026-01-31", "2", "GVA", NULL, "2026-02-01",
                                      "3", NULL,  "-3",    NULL,         "4", "ZRH", "2",  "2026-01-31"};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_INSERT, .id = 1, .values = kRows, .row_count = 4});
}

static const daedalus_result_column kAll[] = {
    {.column = "id"}, {.column = "code"}, {.column = "price"}, {.column = "day"}};

static void test_rows_and_nulls(void) {
  daedalus_engine* engine = open_engine(NULL);
  insert_four(engine);
  const daedalus_comparison condition[] = {{.column = "code", .op = DAEDALUS_IS_NULL, .or_next = true},
                                           {.column = "price", .op = DAEDALUS_GREATER, .value = "10.4"},
                                           {.column = "id", .op = DAEDALUS_LESS, .value = "4"}};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_SELECT,
                                       .id = 9,
                                       .results = kAll,
                                       .result_count = 4,
                                       .comparisons = condition,
                                       .comparison_count = 3});
  EXPECT(daedalus_engine_dequeue(engine) == NULL);
  EXPECT(daedalus_engine_step(engine, 0, 0));
  expect_updated(engine, 1, 4, 0);
  daedalus_output* answer = next(engine, DAEDALUS_ROWS, 9);
  EXPECT(daedalus_output_error(answer) == NULL);
  EXPECT(daedalus_output_prefix(answer) == 1 && daedalus_output_row_count(answer) == 2);
  EXPECT(daedalus_output_next_row(answer));
  expect_text(answer, 0, "1");
  expect_text(answer, 1, "ZRH");
  expect_text(answer, 2, "10.50");
  expect_text(answer, 3, "2026-01-31");
  EXPECT(daedalus_output_next_row(answer));
  expect_text(answer, 0, "3");
  expect_text(answer, 1, NULL);
  expect_text(answer, 2, "-3.00");
  expect_text(answer, 3, NULL);
  EXPECT(!daedalus_output_next_row(answer));
  daedalus_output_free(answer);
  EXPECT(!daedalus_engine_step(engine, 0, 0));
  daedalus_engine_destroy(engine);
}

static void test_updates_and_groups(void) {
  daedalus_engine* engine = open_engine(NULL);
  insert_four(engine);
  const daedalus_assignment changes[] = {{.column = "price", .value = "1.25", .add = true},
                                         {.column = "day", .value = NULL}};
  const daedalus_comparison zurich[] = {{.column = "code", .op = DAEDALUS_STARTS_WITH, .value = "ZR"}};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_UPDATE,
                                       .id = 5,
                                       .assignments = changes,
                                       .assignment_count = 2,
                                       .comparisons = zurich,
                                       .comparison_count = 1});
  const daedalus_comparison second[] = {{.column = "id", .op = DAEDALUS_EQUAL, .value = "2"}};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_DELETE, .id = 6, .comparisons = second, .comparison_count = 1});
  const daedalus_result_column sums[] = {{.column = "code"},
                                         {.function = DAEDALUS_COUNT_ROWS},
                                         {.column = "price", .function = DAEDALUS_AVG},
                                         {.column = "day", .function = DAEDALUS_MAX}};
  const daedalus_order_key order[] = {{.result_column = 0, .descending = true}};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_SELECT,
                                       .id = 1,
                                       .results = sums,
                                       .result_count = 4,
                                       .order = order,
                                       .order_count = 1,
                                       .limit = 2});
  while (daedalus_engine_step(engine, 0, 1)) {
  }
  expect_updated(engine, 1, 4, 0);
  expect_updated(engine, 5, 2, 0);
  expect_updated(engine, 6, 1, 0);
  daedalus_output* answer = next(engine, DAEDALUS_ROWS, 1);
  EXPECT(daedalus_output_row_count(answer) == 2);
  EXPECT(daedalus_output_next_row(answer));
  expect_text(answer, 0, NULL);
  expect_text(answer, 1, "1");
  EXPECT(daedalus_output_next_row(answer));
  expect_text(answer, 0, "ZRH");
  expect_text(answer, 1, "2");
  expect_text(answer, 2, "7.5000000000000000");
  expect_text(answer, 3, NULL);
  daedalus_output_free(answer);
  daedalus_engine_destroy(engine);
}

static void test_refusals(void) {
  daedalus_error error;
  const daedalus_column twice[] = {kColumns[0], kColumns[0]};
  EXPECT(daedalus_engine_create(twice, 2, NULL, &error) == NULL && strcmp(error.sqlstate, "42P16") == 0);
  const daedalus_column unsized[] = {{.name = "text", .type = DAEDALUS_VARCHAR}};
  EXPECT(daedalus_engine_create(unsized, 1, NULL, &error) == NULL && strcmp(error.sqlstate, "42P16") == 0);
  const daedalus_engine_options odd = {.chunk_rows = 100};
  EXPECT(daedalus_engine_create(kColumns, kColumnCount, &odd, NULL) == NULL);
  const daedalus_engine_options large = {.chunk_rows = 1 << 17};
  EXPECT(daedalus_engine_create(kColumns, kColumnCount, &large, &error) == NULL);
  EXPECT(strcmp(error.sqlstate, "42P16") == 0);

  const daedalus_engine_options narrow = {.memory_bytes = 1, .chunk_rows = 64, .operations_in_flight_max = 2};
  daedalus_engine* engine = open_engine(&narrow);
  insert_four(engine);
  static const char* const kBad[] = {NULL, "ZRH", "1", "2026-01-01"};
  expect_refused(engine, (daedalus_operation){.kind = DAEDALUS_INSERT, .id = 2, .values = kBad, .row_count = 1},
                 "23502");
  expect_refused(engine, (daedalus_operation){.kind = DAEDALUS_DELETE, .id = 1}, "08P01");
  const daedalus_result_column unknown[] = {{.column = "gate"}};
  expect_refused(engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 1, .results = unknown, .result_count = 1},
                 "42703");
  const daedalus_comparison not_a_day[] = {{.column = "day", .op = DAEDALUS_EQUAL, .value = "someday"}};
  expect_refused(
      engine, (daedalus_operation){.kind = DAEDALUS_DELETE, .id = 2, .comparisons = not_a_day, .comparison_count = 1},
      "22007");
  expect_refused(engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 1}, "08P01");
  enqueue(engine, (daedalus_operation){
                      .kind = DAEDALUS_SELECT, .id = 1, .results = kAll, .result_count = 4, .deadline_ns = 10});
  expect_refused(engine, (daedalus_operation){.kind = DAEDALUS_DELETE, .id = 2}, "53000");
  EXPECT(daedalus_engine_step(engine, 10, 0));
  daedalus_output* late = next(engine, DAEDALUS_FAILED, 1);
  EXPECT(strcmp(daedalus_output_error(late)->sqlstate, "57014") == 0);
  EXPECT(!daedalus_output_next_row(late));
  daedalus_output_free(late);
  expect_updated(engine, 1, 4, 0);
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 3, .results = kAll, .result_count = 4});
  daedalus_engine_destroy(engine); /* With a query unanswered. */
  daedalus_engine_destroy(NULL);
}

enum { kWideColumns = 260, kLengthMax = 4096 };

/* Rows up to the greatest size there is, and nothing beyond: not in the table, not in an answer. */
static void test_wide_rows(void) {
  static char names[kWideColumns][8];
  daedalus_column columns[kWideColumns];
  for (int column = 0; column < kWideColumns; ++column) {
    snprintf(names[column], sizeof names[column], "c%d", column);
    columns[column] = (daedalus_column){.name = names[column], .type = DAEDALUS_VARCHAR, .length = kLengthMax};
  }
  daedalus_error error;
  EXPECT(daedalus_engine_create(columns, kWideColumns, NULL, &error) == NULL && strcmp(error.sqlstate, "42P16") == 0);
  const daedalus_engine_options little = {.memory_bytes = 1 << 20};
  EXPECT(daedalus_engine_create(columns, 255, &little, &error) == NULL && strcmp(error.sqlstate, "53200") == 0);

  daedalus_engine* engine = daedalus_engine_create(columns, 1, &little, &error);
  EXPECT(engine != NULL);
  static char text[kLengthMax + 1];
  memset(text, 'x', kLengthMax);
  const char* const row[] = {text};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_INSERT, .id = 1, .values = row, .row_count = 1});
  daedalus_result_column results[kWideColumns];
  for (int result = 0; result < kWideColumns; ++result) {
    results[result] = (daedalus_result_column){.column = "c0"};
  }
  expect_refused(
      engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 2, .results = results, .result_count = kWideColumns},
      "54000");
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 2, .results = results, .result_count = 255});
  EXPECT(daedalus_engine_step(engine, 0, 0));
  expect_updated(engine, 1, 1, 0);
  daedalus_output* answer = next(engine, DAEDALUS_ROWS, 2);
  EXPECT(daedalus_output_next_row(answer));
  expect_text(answer, 254, text);
  daedalus_output_free(answer);
  daedalus_engine_destroy(engine);
}

static void test_parts(void) {
  const daedalus_engine_options small = {.memory_bytes = 1 << 20, .chunk_rows = 64, .answer_part_bytes = 1};
  daedalus_engine* engine = open_engine(&small);
  char ids[1000][8];
  const char* rows[1000 * kColumnCount] = {NULL};
  for (int id = 0; id < 1000; ++id) {
    snprintf(ids[id], sizeof ids[id], "%d", id);
    rows[id * kColumnCount] = ids[id];
  }
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_INSERT, .id = 1, .values = rows, .row_count = 1000});
  EXPECT(daedalus_engine_step(engine, 0, 0));
  expect_updated(engine, 1, 1000, 0);
  const daedalus_order_key order[] = {{.result_column = 0, .descending = true}};
  enqueue(engine, (daedalus_operation){.kind = DAEDALUS_SELECT, .id = 1, .results = kAll, .result_count = 4});
  enqueue(engine,
          (daedalus_operation){
              .kind = DAEDALUS_SELECT, .id = 2, .results = kAll, .result_count = 4, .order = order, .order_count = 1});
  int counts[3] = {0};
  int parts = 0;
  for (int ended = 0; ended < 2;) {
    daedalus_engine_step(engine, 0, 1);
    for (daedalus_output* output; (output = daedalus_engine_dequeue(engine)) != NULL; daedalus_output_free(output)) {
      const uint64_t id = daedalus_output_id(output);
      while (daedalus_output_next_row(output)) {
        const int expected = id == 1 ? counts[1] : 999 - counts[2];
        EXPECT(atoi(daedalus_output_text(output, 0)) == expected);
        ++counts[id];
      }
      ended += daedalus_output_is_last(output) ? 1 : 0;
      parts += daedalus_output_is_last(output) ? 0 : 1;
    }
  }
  EXPECT(counts[1] == 1000 && counts[2] == 1000 && parts > 2);
  daedalus_engine_destroy(engine);
}

static void test_thread(void) {
  daedalus_engine* engine = open_engine(NULL);
  EXPECT(daedalus_engine_start(engine, -1, NULL, NULL));
  insert_four(engine);
  daedalus_output* output;
  while ((output = daedalus_engine_dequeue(engine)) == NULL) {
  }
  EXPECT(daedalus_output_row_count(output) == 4);
  daedalus_output_free(output);
  daedalus_engine_stop(engine);
  EXPECT(!daedalus_engine_step(engine, 0, 0));
  daedalus_engine_destroy(engine);
}

int main(void) {
  test_rows_and_nulls();
  test_updates_and_groups();
  test_refusals();
  test_wide_rows();
  test_parts();
  test_thread();
  return 0;
}
