/* A table of flights, a few operations, one sweep for all of them. */
#include <inttypes.h>
#include <stdio.h>

#include "daedalus/engine/engine.h"

enum { kColumnCount = 3, kOperationCount = 4 };

static void print(daedalus_output* output) {
  const uint64_t id = daedalus_output_id(output);
  if (daedalus_output_get_kind(output) == DAEDALUS_FAILED) {
    printf("query %" PRIu64 " failed: %s\n", id, daedalus_output_error(output)->message);
  } else if (daedalus_output_get_kind(output) == DAEDALUS_UPDATED) {
    printf("update %" PRIu64 " wrote %" PRIu64 " rows\n", id, daedalus_output_row_count(output));
  }
  while (daedalus_output_next_row(output)) {
    const char* seats = daedalus_output_text(output, 1);
    printf("query %" PRIu64 " after update %" PRIu64 ": %s %s\n", id, daedalus_output_prefix(output),
           daedalus_output_text(output, 0), seats == NULL ? "unknown" : seats);
  }
}

int main(void) {
  const daedalus_column columns[kColumnCount] = {
      {.name = "origin", .type = DAEDALUS_CHAR, .length = 3, .not_null = true},
      {.name = "departure", .type = DAEDALUS_DATE, .not_null = true},
      {.name = "seats", .type = DAEDALUS_INT}};
  const char* const rows[] = {"ZRH", "2026-08-01", "180", "ZRH", "2026-08-02", NULL, "GVA", "2026-08-01", "120"};
  const daedalus_assignment two_booked[] = {{.column = "seats", .value = "-2", .add = true}};
  const daedalus_comparison from_zurich[] = {{.column = "origin", .op = DAEDALUS_EQUAL, .value = "ZRH"}};
  const daedalus_result_column flights[] = {{.column = "departure"}, {.column = "seats"}};
  const daedalus_result_column totals[] = {{.column = "origin"}, {.column = "seats", .function = DAEDALUS_SUM}};
  const daedalus_order_key by_origin[] = {{.result_column = 0}};
  const daedalus_operation operations[kOperationCount] = {
      {.kind = DAEDALUS_INSERT, .id = 1, .values = rows, .row_count = 3},
      {DAEDALUS_UPDATE, 2, from_zurich, 1, .assignments = two_booked, .assignment_count = 1},
      {DAEDALUS_SELECT, 7, from_zurich, 1, .results = flights, .result_count = 2},
      {DAEDALUS_SELECT, 8, NULL, 0, .results = totals, .result_count = 2, .order = by_origin, .order_count = 1}};

  daedalus_error error;
  daedalus_engine* engine = daedalus_engine_create(columns, kColumnCount, NULL, &error);
  if (engine == NULL) {
    fprintf(stderr, "no engine: %s\n", error.message);
    return 1;
  }
  for (int next = 0; next < kOperationCount; ++next) {
    if (!daedalus_engine_enqueue(engine, &operations[next], &error)) {
      fprintf(stderr, "operation %d refused: %s %s\n", next, error.sqlstate, error.message);
    }
  }
  while (daedalus_engine_step(engine, 0, 0)) { /* All four ride one cycle. */
  }
  for (daedalus_output* output; (output = daedalus_engine_dequeue(engine)) != NULL; daedalus_output_free(output)) {
    print(output);
  }
  daedalus_engine_destroy(engine);
  return 0;
}
