// SPDX-License-Identifier: Apache-2.0
// How modules report what breaks the base protocol at one of their sockets.
#pragma once

#include <string>

#include <tributary/systemc/messages.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Reports under `messages::protocol` what the socket of that name saw, and when.
inline void report_protocol(const char* socket, const char* problem) {
  const std::string text =
      std::string(socket) + " at " + sc_core::sc_time_stamp().to_string() + ": " + problem;
  SC_REPORT_ERROR(messages::protocol, text.c_str());
}

}  // namespace tributary
