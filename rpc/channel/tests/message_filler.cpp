#include "message_filler.hpp"

#include <cstdint>

namespace daedalus::rpc {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// One value for a field that is not repeated, or one more for one that is. `salt` tells elements and variants apart.
struct Setter {
  Message& message;
  const FieldDescriptor& field;
  int salt;
  int depth;

  template <typename Value, typename Set, typename Add>
  void put(Value value, Set set, Add add) const {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_repeated()) {
      (reflection.*add)(&message, &field, value);
    } else {
      (reflection.*set)(&message, &field, value);
    }
  }

  void operator()() const {
    const auto number = static_cast<uint32_t>(field.number());
    const auto extra = static_cast<uint32_t>(salt);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return put(-static_cast<int32_t>(number + extra), &Reflection::SetInt32, &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(number * 100 + extra, &Reflection::SetUInt32, &Reflection::AddUInt32);
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(uint64_t{0xf102030405060700} + number + extra, &Reflection::SetUInt64, &Reflection::AddUInt64);
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(true, &Reflection::SetBool, &Reflection::AddBool);
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int value = 1 + (salt + field.number()) % (field.enum_type()->value_count() - 1);
        return put(value, &Reflection::SetEnumValue, &Reflection::AddEnumValue);
      }
      case FieldDescriptor::CPPTYPE_STRING:
        return put_text(extra);
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Reflection& reflection = *message.GetReflection();
        return fill(field.is_repeated() ? *reflection.AddMessage(&message, &field)
                                        : *reflection.MutableMessage(&message, &field),
                    salt, depth + 1);
      }
      default:
        GOOGLE_LOG(FATAL) << "the contract has no field of this type: " << field.full_name();
    }
  }

  void put_text(uint32_t extra) const {
    std::string text =
        field.type() == FieldDescriptor::TYPE_BYTES ? std::string("\x00\xff\x80", 3) : "é" + field.name();
    text += static_cast<char>('a' + extra % 26);
    const Reflection& reflection = *message.GetReflection();
    if (field.is_repeated()) {
      reflection.AddString(&message, &field, text);
    } else {
      reflection.SetString(&message, &field, text);
    }
  }
};

}  // namespace

void fill(Message& message, int variant, int depth) {
  const auto& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (const auto* oneof = field.containing_oneof()) {
      // At the bottom the first alternative is taken that contains no further message, if there is one.
      const int chosen = depth >= kFillDepthMax ? 0 : variant % oneof->field_count();
      if (oneof->field(chosen) != &field) {
        continue;
      }
    } else if (depth >= kFillDepthMax && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    Setter{message, field, variant, depth}();
    if (field.is_repeated()) {
      Setter{message, field, variant + 1, depth}();
    }
  }
}

}  // namespace daedalus::rpc
