#include "copy_binary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "byte_order.hpp"
#include "copy_lines.hpp"

namespace daedalus::postgres {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kHeader = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv;
constexpr size_t kSignatureSize = 11;
constexpr size_t kCountSize = sizeof(int16_t);
constexpr size_t kFieldLengthSize = sizeof(int32_t);
constexpr uint32_t kOidsFlag = 1u << 16;

Error wrong(std::string message) { return rejected("22P04", std::move(message)); }

}  // namespace

std::string_view binary_header() { return kHeader; }

void CopyBinary::feed(std::string_view bytes) {
  bytes_.erase(0, begin_);
  begin_ = 0;
  bytes_.append(bytes);
}

Result<bool> CopyBinary::missing(const char* message) const {
  if (has_ended_) {
    return wrong(message);
  }
  return false;
}

Result<bool> CopyBinary::next(std::vector<CopyField>& fields) {
  column_ = column_count_;
  if (is_over_) {
    return false;
  }
  if (part_ == Part::kHeader) {
    if (auto taken = take_header(); !taken || !*taken) {
      return taken;
    }
  }
  if (part_ == Part::kExtension) {
    if (auto taken = take_extension(); !taken || !*taken) {
      return taken;
    }
  }
  if (part_ == Part::kRows) {
    return take_row(fields);
  }
  if (!rest().empty()) {
    return wrong("received copy data after EOF marker");
  }
  is_over_ = has_ended_;
  return false;
}

Result<bool> CopyBinary::take_header() {
  const std::string_view bytes = rest();
  if (bytes.substr(0, kSignatureSize) != kHeader.substr(0, std::min(kSignatureSize, bytes.size()))) {
    return wrong("COPY file signature not recognized");
  }
  if (bytes.size() < kSignatureSize) {
    return missing("COPY file signature not recognized");
  }
  if (bytes.size() < kSignatureSize + kFieldLengthSize) {
    return missing("invalid COPY file header (missing flags)");
  }
  const auto flags = read_big_endian<uint32_t>(bytes.substr(kSignatureSize));
  if ((flags & kOidsFlag) != 0) {
    return wrong("invalid COPY file header (WITH OIDS)");
  }
  if (flags >> 16 != 0) {
    return wrong("unrecognized critical flags in COPY file header");
  }
  if (bytes.size() < kHeader.size()) {
    return missing("invalid COPY file header (missing length)");
  }
  const auto extension = read_big_endian<int32_t>(bytes.substr(kSignatureSize + kFieldLengthSize));
  if (extension < 0) {
    return wrong("invalid COPY file header (missing length)");
  }
  extension_left_ = static_cast<uint32_t>(extension);
  begin_ += kHeader.size();
  part_ = Part::kExtension;
  return true;
}

Result<bool> CopyBinary::take_extension() {
  const size_t taken = std::min<size_t>(extension_left_, rest().size());
  begin_ += taken;
  extension_left_ -= static_cast<uint32_t>(taken);
  if (extension_left_ > 0) {
    return missing("invalid COPY file header (wrong length)");
  }
  part_ = Part::kRows;
  return true;
}

Result<bool> CopyBinary::take_row(std::vector<CopyField>& fields) {
  const std::string_view bytes = rest();
  if (bytes.empty() && has_ended_) {
    is_over_ = true;  // As PostgreSQL, which does not insist on a trailer.
    return false;
  }
  if (bytes.size() < kCountSize) {
    is_over_ = has_ended_;
    return false;
  }
  const auto count = read_big_endian<int16_t>(bytes);
  if (count == -1) {
    ++row_number_;
    begin_ += kCountSize;
    part_ = Part::kTrailer;
    return next(fields);
  }
  if (static_cast<size_t>(count) != column_count_ || count < 0) {
    ++row_number_;
    return wrong(fmt::format("row field count is {}, expected {}", count, column_count_));
  }
  return take_fields(bytes, fields);
}

Result<bool> CopyBinary::take_fields(std::string_view bytes, std::vector<CopyField>& fields) {
  fields.clear();
  size_t at = kCountSize;
  const auto is_cut = [&] {
    row_number_ += has_ended_ ? 1 : 0;
    if (bytes.size() > CopyLines::kLineSizeMax) {
      return Result<bool>(
          rejected("54000", fmt::format("a row of COPY has more than {} bytes", CopyLines::kLineSizeMax)));
    }
    return missing("unexpected EOF in COPY data");
  };
  for (size_t column = 0; column < column_count_; ++column) {
    column_ = column;
    if (bytes.size() - at < kFieldLengthSize) {
      return is_cut();
    }
    const auto size = read_big_endian<int32_t>(bytes.substr(at));
    at += kFieldLengthSize;
    if (size < -1) {
      ++row_number_;
      return wrong("invalid field size");
    }
    if (size == -1) {
      fields.emplace_back();
      continue;
    }
    if (bytes.size() - at < static_cast<size_t>(size)) {
      return is_cut();
    }
    fields.emplace_back(bytes.substr(at, static_cast<size_t>(size)));
    at += static_cast<size_t>(size);
  }
  column_ = column_count_;
  ++row_number_;
  begin_ += at;
  return true;
}

}  // namespace daedalus::postgres
