// Reads a table slice by slice, as `daedalus export` does, and makes one answer of the slices.
//
// Decides which slice comes next: the one that the last end has named, or the same again where it is to be asked again.
// Refuses to know connections and time.
#pragma once

#include <cstdint>
#include <string>

#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "judge.hpp"

namespace daedalus::testing {

class SliceReader {
 public:
  SliceReader() = default;
  /// `body` is a SelectBody without a slice.
  SliceReader(const std::string& body, uint64_t slice_bytes);

  /// Returns the body that asks for the next slice; what `given` has by now is that of earlier ones.
  [[nodiscard]] std::string ask(const GivenAnswer& given);
  /// The slice has ended, and `given` has its rows. False: it was the last one, and `given` is complete.
  [[nodiscard]] bool goes_on(const wire::v1::QueryEnd& end, GivenAnswer& given);
  /// The slice was refused: `given` lets go of what has come of it. True: it is to be asked again.
  [[nodiscard]] bool is_asked_again(const wire::v1::Error& error, GivenAnswer& given);

 private:
  wire::v1::SelectBody body_;
  /// Earlier slices have brought these.
  size_t rows_size_ = 0;
  uint64_t row_count_ = 0;
  size_t columns_ = 0;
  wire::v1::QueryEnd end_;
  uint32_t repetitions_ = 0;
};

}  // namespace daedalus::testing
