#include "update_wire.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <functional>

namespace daedalus::contract {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

Error unparsable() { return rejected("08P01", "the body of an update does not parse"); }

/// A field as it stands in the bytes: either its number or, for length-delimited ones, its content.
struct Field {
  int number = 0;
  bool is_bytes = false;
  uint64_t integer = 0;
  std::string_view bytes;
};

/// Calls `take` for every field of a message; false from it, or malformed bytes, end in 08P01.
Result<void> each_field(std::string_view message, const std::function<Result<void>(const Field&)>& take) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size()));
  while (static_cast<size_t>(in.CurrentPosition()) < message.size()) {
    const uint32_t tag = in.ReadTagNoLastTag();
    Field field;
    field.number = WireFormatLite::GetTagFieldNumber(tag);
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT) {
      if (tag == 0 || !in.ReadVarint64(&field.integer)) {
        return unparsable();
      }
    } else if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      uint32_t size = 0;
      if (!in.ReadVarint32(&size) || size > message.size() - static_cast<size_t>(in.CurrentPosition())) {
        return unparsable();
      }
      field.is_bytes = true;
      field.bytes = message.substr(static_cast<size_t>(in.CurrentPosition()), size);
      if (!in.Skip(static_cast<int>(size))) {
        return unparsable();
      }
    } else {
      return unparsable();
    }
    if (Result<void> taken = take(field); !taken) {
      return taken;
    }
  }
  return {};
}

/// Refuses a field that was there before: what protobuf would merge or override is a mistake here.
class SeenFields {
 public:
  [[nodiscard]] bool is_first(int number) {
    const uint32_t bit = 1u << (number & 31);
    const bool first = (seen_ & bit) == 0;
    seen_ |= bit;
    return first;
  }

 private:
  uint32_t seen_ = 0;
};

Result<RawPart> read_insert(std::string_view bytes) {
  InsertPart part;
  SeenFields seen;
  const Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
    const bool is_known = field.number >= wire::v1::InsertPart::kRowsFieldNumber &&
                          field.number <= wire::v1::InsertPart::kFirstOrdinalFieldNumber &&
                          field.is_bytes == (field.number == wire::v1::InsertPart::kRowsFieldNumber);
    if (!is_known || !seen.is_first(field.number) || field.integer > UINT32_MAX) {
      return unparsable();
    }
    if (field.is_bytes) {
      part.rows = field.bytes;
    } else if (field.number == wire::v1::InsertPart::kRowCountFieldNumber) {
      part.row_count = static_cast<uint32_t>(field.integer);
    } else {
      part.first_ordinal = static_cast<uint32_t>(field.integer);
    }
    return {};
  });
  if (!read) {
    return read.error();
  }
  return RawPart(part);
}

template <typename Message>
Result<RawPart> read_message(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return unparsable();
  }
  return RawPart(std::move(message));
}

Result<RawPart> read_part(std::string_view bytes) {
  Field only;
  uint32_t count = 0;
  const Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
    only = field;
    ++count;
    return {};
  });
  if (!read) {
    return read.error();
  }
  if (count != 1 || !only.is_bytes) {
    return rejected("08P01", "a part of an update is not exactly one of insert, modify and delete");
  }
  switch (only.number) {
    case wire::v1::UpdatePart::kInsertFieldNumber:
      return read_insert(only.bytes);
    case wire::v1::UpdatePart::kModifyFieldNumber:
      return read_message<wire::v1::ModifyPart>(only.bytes);
    case wire::v1::UpdatePart::kDeleteFieldNumber:
      return read_message<wire::v1::DeletePart>(only.bytes);
    default:
      return unparsable();
  }
}

}  // namespace

Result<std::vector<RawPart>> split_update(std::string_view body) {
  std::vector<RawPart> parts;
  const Result<void> read = each_field(body, [&](const Field& field) -> Result<void> {
    if (field.number != wire::v1::UpdateBody::kPartsFieldNumber || !field.is_bytes) {
      return unparsable();
    }
    if (parts.size() == kUpdateRowsMax) {
      return rejected("54000", fmt::format("an update has more than {} parts", kUpdateRowsMax));
    }
    Result<RawPart> part = read_part(field.bytes);
    if (!part) {
      return std::move(part).error();
    }
    parts.push_back(std::move(*part));
    return {};
  });
  if (!read) {
    return read.error();
  }
  return parts;
}

}  // namespace daedalus::contract
