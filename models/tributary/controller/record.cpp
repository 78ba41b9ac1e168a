// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/record.h>

#include <fmt/format.h>

namespace tributary::detail {

void refuse_value(const record_field& field, word_t value) {
  throw simulation_error(fmt::format("field '{}' of a record has {} bits and cannot hold {}",
                                     field.name, field.bits, value));
}

}  // namespace tributary::detail
