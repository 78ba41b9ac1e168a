// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/record.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tributary {
namespace {

std::uint64_t first_bit(const record_field& field) {
  return 8 * field.word_offset() + field.shift();
}

bool overlap(const record_field& a, const record_field& b) {
  return first_bit(a) < first_bit(b) + b.bits && first_bit(b) < first_bit(a) + a.bits;
}

}  // namespace

record_layout::record_layout(std::string name, std::vector<record_field> fields,
                             std::uint64_t reserved_bytes)
    : name_(std::move(name)), fields_(std::move(fields)), bytes_((reserved_bytes + 7) / 8 * 8) {
  for (auto next = fields_.begin(); next != fields_.end(); ++next) {
    if (first_bit(*next) < 8 * reserved_bytes) {
      throw error(
          fmt::format("record '{}': field '{}' lies within the first {} bytes, which "
                      "others use",
                      name_, next->name, reserved_bytes));
    }
    for (auto other = fields_.begin(); other != next; ++other) {
      if (other->name == next->name) {
        throw error(fmt::format("record '{}': two fields are called '{}'", name_, next->name));
      }
      if (overlap(*other, *next)) {
        throw error(fmt::format("record '{}': fields '{}' and '{}' overlap", name_, other->name,
                                next->name));
      }
    }
    bytes_ = std::max(bytes_, next->word_offset() + 8);
  }
}

const record_field& record_layout::field(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const record_field& each) { return each.name == name; });
  if (found == fields_.end()) {
    throw error(fmt::format("record '{}' has no field '{}'", name_, name));
  }
  return *found;
}

std::string record_layout::text(const word_memory& memory, std::uint64_t address) const {
  std::string all = fmt::format("{} at {:#x}:", name_, address);
  const record<const word_memory> values(memory, address);
  const char* separator = " ";
  for (const record_field& each : fields_) {
    const word_t value = values.get(each);
    all += fmt::format("{}{} ", separator, each.name);
    all += value < 1024 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
    separator = ", ";
  }
  return all;
}

void detail::refuse_value(const record_field& field, word_t value) {
  throw simulation_error(fmt::format("field '{}' of a record has {} bits and cannot hold {}",
                                     field.name, field.bits, value));
}

}  // namespace tributary
