// Defines what a program that judges asks the benchmark for, one line each, answered with lines of JSON.
#pragma once

#include <istream>

namespace daedalus::engine::bench {

/// Answers lines of the form `name key=value key=value …` from `input` until it ends. Each answer ends with
/// {"done": name}; an unknown name or key ends the program. All tables have `rows` rows unless a line says otherwise.
///
///   cell        table mix queries updates runs budget_ms warm seed checked_max
///               baselines=classic,classic_plus,index,keys,floor without_updates: one point of the grid (cells.hpp)
///   form        table form queries runs warm seed checked_max: cycles of queries of one form (query_forms.hpp)
///               moments=1: queries ask at the moment before the cycle's updates, and the answer repeats the word
///   size        table: memory a row, in the engine and in a plain row
///   sizes       rows=a,b,c mix queries updates runs seed moments: cycles over tables of several sizes
///   strategies  rows mix queries updates runs seed ways=by_cost,keys,sketches,passes asked=… hopeless_ms: mix may be a
///               form; asked are some of the ways (figures.hpp); whoever takes so long while warming up, and three
///               times as long as the first, is not asked again
///   segments    rows mix queries runs seed: two at once
///   steady      rows cycles mix queries updates seed
///   aggregate   column runs
///   evict       empties the caches, for an engine in another process
///   dump        table path: all rows as CSV, and their types
///   queries     mix queries seed: conditions and true answers, for an engine in another process
///   form_queries  table form queries seed: statements and true answers, likewise
///
/// `table` is ticket, skewed (see Frequencies), narrow or wide (see Width); `rows` may follow it.
void serve(std::istream& input, uint32_t rows);

}  // namespace daedalus::engine::bench
