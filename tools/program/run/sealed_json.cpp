// SPDX-License-Identifier: Apache-2.0
#include "sealed_json.h"

#include <cstddef>
#include <string_view>

#include <zlib.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::string_view before_sum = ",\n  \"checksum\": \"crc32:";
constexpr std::string_view after_sum = "\"\n}\n";

std::string sum_of(std::string_view text) {
  const uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  return fmt::format("{:08x}", sum);
}

}  // namespace

std::string sealed_text(const json_value& object) {
  const std::string text = object.to_text();
  const std::string_view members = std::string_view(text).substr(0, text.rfind("\n}"));
  return fmt::format("{}{}{}{}", members, before_sum, sum_of(members), after_sum);
}

void check_seal(const std::string& text, const std::string& path) {
  const std::size_t end = text.rfind(before_sum);
  if (end == std::string::npos) return;
  const std::string_view whole = text;
  if (whole.substr(end + before_sum.size()) ==
      fmt::format("{}{}", sum_of(whole.substr(0, end)), after_sum)) {
    return;
  }
  throw input_error(path +
                    ": the file is damaged or was edited, as its checksum is another; run again");
}

}  // namespace tributary
