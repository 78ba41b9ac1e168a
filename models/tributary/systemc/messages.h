// SPDX-License-Identifier: Apache-2.0
// How modules report through sc_report, and the message ids: docs/troubleshooting.md has an entry
// for each, cause and fix.
#pragma once

#include <string>

#include <tributary/sim/error.h>
#include <tributary/systemc/systemc.h>

namespace tributary::messages {

/// A module was given a configuration that it refuses.
inline constexpr const char* configuration = "/tributary/configuration";
/// A link has fewer lines than a port needs, or two ports write or read one of its lines.
inline constexpr const char* link_binding = "/tributary/link_binding";
/// The simulated machine broke one of its own promises.
inline constexpr const char* simulation = "/tributary/simulation";
/// Something broke a rule of the TLM-2.0 base protocol, as a protocol_monitor or a module sees it.
inline constexpr const char* protocol = "/tributary/protocol";
/// A transaction has waited long for a phase of the other side of a socket: a warning, once a
/// socket.
inline constexpr const char* unanswered = "/tributary/unanswered";

}  // namespace tributary::messages

namespace tributary {

/// Makes something whose constructor may throw an `error`, which is reported under `message` with
/// the name of `module`, and thrown again where reports do not throw.
template <class Make>
auto make_or_report(const sc_core::sc_object& module, const char* message, const Make& make) {
  try {
    return make();
  } catch (const error& problem) {
    const std::string text = std::string(module.name()) + ": " + problem.what();
    SC_REPORT_ERROR(message, text.c_str());
    throw;
  }
}

/// What the socket of that name saw, and when.
inline std::string seen_at_socket(const char* socket, const std::string& problem) {
  return std::string(socket) + " at " + sc_core::sc_time_stamp().to_string() + ": " + problem;
}

/// Reports it under `messages::protocol`.
inline void report_protocol(const char* socket, const char* problem) {
  SC_REPORT_ERROR(messages::protocol, seen_at_socket(socket, problem).c_str());
}

}  // namespace tributary
