// SPDX-License-Identifier: Apache-2.0
// JSON files that end with a sum of what stands before it, so that damage is noticed.
#pragma once

#include <string>

#include <tributary/sim/json_document.h>

namespace tributary {

/// The text of an object with a last member "checksum": "crc32:" and, in eight hexadecimal digits,
/// the CRC-32 (that of gzip) of all bytes before the comma in front of it.
std::string sealed_text(const json_value& object);

/// Throws `input_error` that names the file if the text has such a sum and it is another. A text
/// without one, as of an older version or written anew by another program, passes.
void check_seal(const std::string& text, const std::string& path);

}  // namespace tributary
