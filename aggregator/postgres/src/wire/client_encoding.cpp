#include "client_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "lower.hpp"

namespace daedalus::postgres {

namespace {

constexpr uint32_t kFirstOfTable = 0x80;
/// The characters of WIN1252's bytes 0x80 to 0x9f; 0: there is none. All others are those of LATIN1.
constexpr std::array<uint16_t, 32> kWin1252 = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                               0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                               0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                               0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

bool is_in_table(ClientEncoding encoding, uint32_t number) {
  return encoding == ClientEncoding::kWin1252 && number >= kFirstOfTable && number < kFirstOfTable + kWin1252.size();
}

std::string_view name_of(ClientEncoding encoding) { return encoding == ClientEncoding::kLatin1 ? "LATIN1" : "WIN1252"; }

Error no_equivalent(std::string_view bytes, std::string_view from, std::string_view to) {
  std::string listed;
  for (const char byte : bytes) {
    listed += fmt::format("{}{:#04x}", listed.empty() ? "" : " ", static_cast<unsigned char>(byte));
  }
  return rejected("22P05", fmt::format("character with byte sequence {} in encoding \"{}\" has no equivalent in "
                                       "encoding \"{}\"",
                                       listed, from, to));
}

/// How many bytes a character has that begins with this one. Precondition: it is one of a valid text.
size_t size_of(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

uint32_t character_of(std::string_view bytes) {
  uint32_t character = static_cast<unsigned char>(bytes[0]) & (0xffu >> (bytes.size() + 1));
  for (const char byte : bytes.substr(1)) {
    character = character << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  }
  return character;
}

/// The byte of a character beyond ASCII; 0: it has none.
char byte_of(ClientEncoding encoding, uint32_t character) {
  if (character <= 0xff) {
    return is_in_table(encoding, character) ? '\0' : static_cast<char>(character);
  }
  const auto* const found =
      encoding == ClientEncoding::kWin1252 ? std::find(kWin1252.begin(), kWin1252.end(), character) : kWin1252.end();
  return found == kWin1252.end() ? '\0' : static_cast<char>(kFirstOfTable + (found - kWin1252.begin()));
}

/// Appends a character below 0x10000 and beyond ASCII.
void append_character(uint32_t character, std::string& out) {
  if (character >= 0x800) {
    out.push_back(static_cast<char>(0xe0 | character >> 12));
    out.push_back(static_cast<char>(0x80 | (character >> 6 & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xc0 | character >> 6));
  }
  out.push_back(static_cast<char>(0x80 | (character & 0x3f)));
}

}  // namespace

std::optional<std::string_view> encoding_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{{{"utf8", "UTF8"},
                                                                                 {"unicode", "UTF8"},
                                                                                 {"sqlascii", "SQL_ASCII"},
                                                                                 {"latin1", "LATIN1"},
                                                                                 {"iso88591", "LATIN1"},
                                                                                 {"win1252", "WIN1252"},
                                                                                 {"windows1252", "WIN1252"}}};
  std::string wanted = lower(name);
  std::erase_if(wanted, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.first == wanted; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

ClientEncoding encoding_of(std::string_view name) {
  return name == name_of(ClientEncoding::kLatin1)    ? ClientEncoding::kLatin1
         : name == name_of(ClientEncoding::kWin1252) ? ClientEncoding::kWin1252
                                                     : ClientEncoding::kUtf8;
}

Result<std::string> decoded(ClientEncoding encoding, std::string_view bytes) {
  if (encoding == ClientEncoding::kUtf8) {
    return std::string(bytes);
  }
  std::string text;
  text.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte < kFirstOfTable) {
      text.push_back(bytes[at]);
      continue;
    }
    const uint32_t character = is_in_table(encoding, byte) ? kWin1252[byte - kFirstOfTable] : byte;
    if (character == 0) {
      return no_equivalent(bytes.substr(at, 1), name_of(encoding), "UTF8");
    }
    append_character(character, text);
  }
  return text;
}

Result<void> append_encoded(ClientEncoding encoding, std::string_view text, std::string& out) {
  if (encoding == ClientEncoding::kUtf8) {
    out.append(text);
    return {};
  }
  const size_t begin = out.size();
  for (size_t at = 0; at < text.size();) {
    const std::string_view bytes = text.substr(at, size_of(static_cast<unsigned char>(text[at])));
    at += bytes.size();
    const char byte = bytes.size() == 1 ? bytes[0] : byte_of(encoding, character_of(bytes));
    if (bytes.size() > 1 && byte == '\0') {
      out.resize(begin);
      return no_equivalent(bytes, "UTF8", name_of(encoding));
    }
    out.push_back(byte);
  }
  return {};
}

}  // namespace daedalus::postgres
