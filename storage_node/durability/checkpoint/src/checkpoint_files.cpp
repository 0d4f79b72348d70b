#include "daedalus/durability/checkpoint_files.hpp"

#include <algorithm>
#include <charconv>

#include "checkpoint_bytes.hpp"

namespace daedalus::durability {
namespace {

constexpr size_t kDigits = 16;
constexpr std::string_view kManifestPrefix = "manifest-";
constexpr std::string_view kDataSuffix = ".data";

std::string padded(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

Error at(const Error& error, const File& file, uint64_t offset) {
  Error named = error;
  named.message = file.name() + ", offset " + std::to_string(offset) + ": " + error.message;
  return named;
}

bool is_manifest(const std::string& file) {
  return file.starts_with(kManifestPrefix) && file.size() == kManifestPrefix.size() + kDigits;
}

Result<void> verify_segment(Disk& disk, uint32_t segment, const SegmentManifest& manifest) {
  const Result<DataFiles> files = open_data_files(disk, segment, manifest);
  if (!files) {
    return files.error();
  }
  for (const BlockPlace& place : manifest.chunks) {
    if (const auto block = read_block(*files->at(place.file), place); !block) {
      return block.error();
    }
  }
  const auto block = read_block(*files->at(manifest.allocator.file), manifest.allocator);
  return block ? Result<void>() : Result<void>(block.error());
}

}  // namespace

std::string manifest_name(uint64_t number) {
  return std::string(kCheckpointFolder) + "/" + std::string(kManifestPrefix) + padded(number);
}

std::string data_file_name(uint32_t segment, uint64_t number) {
  return std::string(kCheckpointFolder) + "/segment-" + std::to_string(segment) + "-" + padded(number) +
         std::string(kDataSuffix);
}

std::optional<uint64_t> number_in(const std::string& file) {
  std::string_view digits = file;
  if (digits.starts_with("segment-") && digits.ends_with(kDataSuffix)) {
    digits.remove_suffix(kDataSuffix.size());
  } else if (!digits.starts_with(kManifestPrefix)) {
    return std::nullopt;
  }
  digits.remove_prefix(std::min(digits.size(), digits.rfind('-') + 1));
  uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

Result<std::optional<Manifest>> find_manifest(Disk& disk) {
  const auto files = disk.list(kCheckpointFolder);
  if (!files) {
    return files.error();
  }
  std::optional<Error> newest_error;
  for (auto file = files->rbegin(); file != files->rend(); ++file) {
    if (!is_manifest(*file)) {
      continue;
    }
    const std::string name = std::string(kCheckpointFolder) + "/" + *file;
    const auto bytes = read_file(disk, name);
    if (!bytes) {
      return bytes.error();
    }
    Result<Manifest> manifest = decode_manifest(*bytes);
    if (manifest && manifest_name(manifest->number) == name) {
      return std::optional(std::move(*manifest));
    }
    if (!newest_error.has_value()) {
      newest_error = manifest ? corrupted("it is the manifest of another number") : manifest.error();
      newest_error->message = name + ": " + newest_error->message;
    }
  }
  if (newest_error.has_value()) {
    return *newest_error;
  }
  return std::optional<Manifest>();
}

Result<DataFiles> open_data_files(Disk& disk, uint32_t segment, const SegmentManifest& manifest) {
  DataFiles files;
  for (const DataFile& file : manifest.files) {
    Result<std::unique_ptr<File>> opened = disk.open(data_file_name(segment, file.number));
    if (!opened) {
      return opened.error();
    }
    const Result<std::string> header = (*opened)->read(0, kDataFileHeaderSize);
    if (!header) {
      return header.error();
    }
    if (*header != encode_data_file_header(segment, file.number)) {
      return at(corrupted("it does not begin as this file of this segment does"), **opened, 0);
    }
    files.emplace(file.number, std::move(*opened));
  }
  return files;
}

Result<ReadBlock> read_block(const File& file, const BlockPlace& place) {
  Result<std::string> bytes = file.read(place.offset, place.size);
  if (!bytes) {
    return bytes.error();
  }
  const Result<BlockHeader> header = check_block(*bytes, place);
  if (!header) {
    return at(header.error(), file, place.offset);
  }
  return ReadBlock{*header, std::move(*bytes)};
}

Result<void> verify(Disk& disk, const Manifest& manifest) {
  for (uint32_t segment = 0; segment < manifest.segments.size(); ++segment) {
    if (Result<void> verified = verify_segment(disk, segment, manifest.segments[segment]); !verified) {
      return verified;
    }
  }
  return {};
}

}  // namespace daedalus::durability
