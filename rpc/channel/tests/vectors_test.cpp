// Holds this implementation to the bytes in rpc/vectors/frames.json, which the Java implementation is held to as well.
// DAEDALUS_WRITE_VECTORS=1 writes the file anew, after a deliberate change of the contract.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "daedalus/rpc/frame.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "daedalus/wire/v1/session.pb.h"
#include "message_filler.hpp"

namespace daedalus::rpc {
namespace {

namespace wire = wire::v1;

struct MessageVector {
  std::string type;  ///< Full name.
  int variant;
  std::string bytes;
};

struct FrameVector {
  std::string name;
  FrameType type;
  std::string payload;
};

struct MalformedVector {
  std::string name;
  std::string bytes;
  std::string error;
};

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<uint8_t>(byte)));
  }
  return text;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

/// Every message of every file, with every field set, once per alternative of its oneofs.
std::vector<MessageVector> message_vectors() {
  std::vector<MessageVector> vectors;
  for (const auto* file : {wire::Type::descriptor()->file(), wire::Operation::descriptor()->file(),
                           wire::Result::descriptor()->file(), wire::Hello::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      const auto* type = file->message_type(i);
      for (int variant = 0; variant < variant_count(*type); ++variant) {
        vectors.push_back({type->full_name(), variant, filled(*type, variant)->SerializeAsString()});
      }
    }
  }
  return vectors;
}

template <typename Message>
Message filled_message(int variant) {
  Message message;
  fill(message, variant, 0);
  return message;
}

wire::Operation operation_of(wire::OperationKind kind) {
  auto operation = filled_message<wire::Operation>(0);
  operation.mutable_header()->set_kind(kind);
  switch (kind) {
    case wire::OPERATION_KIND_STATEMENT:
      operation.set_body(filled_message<wire::StatementBody>(0).SerializeAsString());
      break;
    case wire::OPERATION_KIND_SELECT:
      operation.set_body(filled_message<wire::SelectBody>(0).SerializeAsString());
      break;
    case wire::OPERATION_KIND_UPDATE:
      operation.set_body(filled_message<wire::UpdateBody>(0).SerializeAsString());
      break;
    case wire::OPERATION_KIND_SUBMIT:
      operation.set_body(filled_message<wire::SubmitBody>(0).SerializeAsString());
      break;
    case wire::OPERATION_KIND_EPOCH:
      operation.set_body(filled_message<wire::EpochBody>(0).SerializeAsString());
      break;
    default:
      operation.clear_body();
  }
  return operation;
}

std::vector<FrameVector> frame_vectors() {
  std::vector<FrameVector> vectors = {
      {"hello", FrameType::kHello, filled_message<wire::Hello>(0).SerializeAsString()},
      {"hello of a client that knows nothing", FrameType::kHello, ""},
      {"keep-alive", FrameType::kKeepAlive, ""},
      {"goodbye", FrameType::kGoodbye, filled_message<wire::Goodbye>(0).SerializeAsString()},
      {"goodbye without reason", FrameType::kGoodbye, ""},
      {"no operations", FrameType::kOperations, ""},
      {"no results", FrameType::kResults, ""},
  };
  wire::OperationBatch all_operations;
  for (int kind = wire::OPERATION_KIND_STATEMENT; kind <= wire::OperationKind_MAX; ++kind) {
    const auto typed = static_cast<wire::OperationKind>(kind);
    wire::OperationBatch batch;
    *batch.add_operations() = operation_of(typed);
    *all_operations.add_operations() = operation_of(typed);
    vectors.push_back({wire::OperationKind_Name(typed), FrameType::kOperations, batch.SerializeAsString()});
  }
  vectors.push_back({"all operations", FrameType::kOperations, all_operations.SerializeAsString()});
  wire::ResultBatch all_results;
  const auto* kinds = wire::Result::descriptor()->oneof_decl(0);
  for (int variant = 0; variant < kinds->field_count(); ++variant) {
    wire::ResultBatch batch;
    *batch.add_results() = filled_message<wire::Result>(variant);
    *all_results.add_results() = filled_message<wire::Result>(variant);
    vectors.push_back({"result " + kinds->field(variant)->name(), FrameType::kResults, batch.SerializeAsString()});
  }
  vectors.push_back({"all results", FrameType::kResults, all_results.SerializeAsString()});
  return vectors;
}

std::vector<MalformedVector> malformed_vectors() {
  const std::string good = encode_frame(FrameType::kGoodbye, filled_message<wire::Goodbye>(0).SerializeAsString());
  const auto with = [&](size_t at, int value) {
    std::string bad = good;
    bad[at] = static_cast<char>(value);
    return bad;
  };
  const auto length = [&](std::string_view bytes) { return std::string(bytes) + good.substr(4); };
  using namespace std::string_view_literals;
  return {
      {"length 0", length("\x00\x00\x00\x00"sv), "too_short"},
      {"length one below the minimum", length("\x07\x00\x00\x00"sv), "too_short"},
      {"length one beyond the maximum", length("\xfd\xff\xff\x00"sv), "too_long"},
      {"length with the highest bit", length("\x00\x00\x00\x80"sv), "too_long"},
      {"version 0", with(4, 0), "version"},
      {"version 1", with(4, 1), "version"},
      {"type 0", with(5, 0), "type"},
      {"type 6", with(5, 6), "type"},
      {"type 255", with(5, 255), "type"},
      {"first flag byte", with(6, 1), "flags"},
      {"second flag byte", with(7, 128), "flags"},
      {"changed payload", with(8, good[8] ^ 1), "checksum"},
      {"changed checksum", with(good.size() - 1, good.back() ^ 1), "checksum"},
      {"other type than was summed", with(5, 3), "checksum"},
      {"hello cut short",
       encode_frame(FrameType::kHello,
                    "\x12\x05"
                    "ab"),
       "payload"},
      {"hello with a name that is not UTF-8", encode_frame(FrameType::kHello, "\x12\x02\xc3\x28"), "payload"},
      {"operations with field number 0", encode_frame(FrameType::kOperations, "\x02\x00"sv), "payload"},
      {"results with an endless varint", encode_frame(FrameType::kResults, std::string(11, '\xff')), "payload"},
      {"goodbye cut short", encode_frame(FrameType::kGoodbye, "\x0a\x7f"), "payload"},
  };
}

std::string to_json() {
  std::string text = "{\n  \"messages\": [";
  const char* separator = "\n";
  for (const auto& vector : message_vectors()) {
    text += fmt::format("{}    {{\"message\": \"{}\", \"variant\": {}, \"bytes\": \"{}\"}}", separator, vector.type,
                        vector.variant, hex(vector.bytes));
    separator = ",\n";
  }
  text += "\n  ],\n  \"frames\": [";
  separator = "\n";
  for (const auto& vector : frame_vectors()) {
    text += fmt::format("{}    {{\"name\": \"{}\", \"type\": {}, \"payload\": \"{}\", \"frame\": \"{}\"}}", separator,
                        vector.name, static_cast<int>(vector.type), hex(vector.payload),
                        hex(encode_frame(vector.type, vector.payload)));
    separator = ",\n";
  }
  text += "\n  ],\n  \"malformed\": [";
  separator = "\n";
  for (const auto& vector : malformed_vectors()) {
    text += fmt::format("{}    {{\"name\": \"{}\", \"frame\": \"{}\", \"error\": \"{}\"}}", separator, vector.name,
                        hex(vector.bytes), vector.error);
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

bool parses(FrameType type, std::string_view payload) {
  const std::string bytes(payload);
  switch (type) {
    case FrameType::kHello:
      return wire::Hello().ParseFromString(bytes);
    case FrameType::kKeepAlive:
      return wire::KeepAlive().ParseFromString(bytes);
    case FrameType::kOperations:
      return wire::OperationBatch().ParseFromString(bytes);
    case FrameType::kResults:
      return wire::ResultBatch().ParseFromString(bytes);
    case FrameType::kGoodbye:
      return wire::Goodbye().ParseFromString(bytes);
  }
  return false;
}

TEST(VectorsTest, EncodingEqualsTheSharedFile) {
  const std::string path = DAEDALUS_VECTORS_DIR "/frames.json";
  if (std::getenv("DAEDALUS_WRITE_VECTORS") != nullptr) {
    std::ofstream(path, std::ios::binary) << to_json();
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == to_json()) << "the bytes of the contract have changed: see " << path;
}

TEST(VectorsTest, MessagesSurviveParsing) {
  for (const auto& vector : message_vectors()) {
    const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(vector.type);
    std::unique_ptr<google::protobuf::Message> message(
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
    ASSERT_TRUE(message->ParseFromString(vector.bytes)) << vector.type;
    EXPECT_EQ(message->SerializeAsString(), vector.bytes) << vector.type;
  }
}

/// The file was written by the first version and stays as it is: what it has in it may be on its way, or kept.
TEST(VectorsTest, MessagesAndFramesOfTheFirstVersionAreReadAsTheyWereMeant) {
  std::ifstream file(DAEDALUS_VECTORS_DIR "/messages-0.1.0.tsv");
  size_t messages = 0;
  for (std::string kind, name, digits; file >> kind >> name >> digits;) {
    const std::string bytes = bytes_of(digits);
    if (kind == "frame") {
      Framer framer;
      framer.feed(bytes);
      const auto frame = framer.next();
      ASSERT_TRUE(frame) << digits;
      EXPECT_EQ(std::to_string(static_cast<int>(frame->type)), name);
      EXPECT_TRUE(parses(frame->type, frame->payload)) << digits;
      continue;
    }
    ++messages;
    const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
    ASSERT_NE(type, nullptr) << name;
    std::unique_ptr<google::protobuf::Message> message(
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
    ASSERT_TRUE(message->ParseFromString(bytes)) << name;
    EXPECT_TRUE(message->GetReflection()->GetUnknownFields(*message).empty()) << name;
    EXPECT_EQ(message->SerializeAsString(), bytes) << name;
  }
  EXPECT_GT(messages, 50u);
}

TEST(VectorsTest, FramesDecode) {
  for (const auto& vector : frame_vectors()) {
    Framer framer;
    framer.feed(encode_frame(vector.type, vector.payload));
    const auto frame = framer.next();
    ASSERT_TRUE(frame) << vector.name;
    EXPECT_EQ(frame->type, vector.type) << vector.name;
    EXPECT_EQ(frame->payload, vector.payload) << vector.name;
    EXPECT_TRUE(parses(frame->type, frame->payload)) << vector.name;
  }
}

TEST(VectorsTest, MalformedFramesAreRefusedForTheirReason) {
  for (const auto& vector : malformed_vectors()) {
    Framer framer;
    framer.feed(vector.bytes);
    const auto frame = framer.next();
    if (vector.error == "payload") {
      ASSERT_TRUE(frame) << vector.name;
      EXPECT_FALSE(parses(frame->type, frame->payload)) << vector.name;
    } else {
      EXPECT_FALSE(frame) << vector.name;
      ASSERT_TRUE(framer.error()) << vector.name;
      EXPECT_EQ(to_string(framer.error()->fault), vector.error) << vector.name;
    }
  }
}

}  // namespace
}  // namespace daedalus::rpc
