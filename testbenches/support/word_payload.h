// SPDX-License-Identifier: Apache-2.0
// A transaction of one word, for calls that return when it is done.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/systemc/systemc.h>

namespace tributary::testing {

/// A generic payload with its data in itself.
struct word_payload : tlm::tlm_generic_payload {
  word_payload(tlm::tlm_command command, std::uint64_t address, word_t value = 0,
               unsigned length = word_bytes)
      : data(value) {
    set_command(command);
    set_address(address);
    set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    set_data_length(length);
    set_streaming_width(length);
  }

  word_t data;
};

}  // namespace tributary::testing
