#include "daedalus/contract/language.hpp"

namespace daedalus::contract {

void announce(const semantics::Language& language, wire::v1::Hello& hello) {
  hello.mutable_languages()->Assign(language.hashes().begin(), language.hashes().end());
}

std::optional<uint32_t> common_version(const semantics::Language& language, const wire::v1::Hello& hello) {
  return language.common_version({hello.languages().data(), static_cast<size_t>(hello.languages_size())});
}

}  // namespace daedalus::contract
