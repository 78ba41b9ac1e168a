// SPDX-License-Identifier: Apache-2.0
// The message ids under which modules report through sc_report; docs/troubleshooting.md has an
// entry for each: cause and fix.
#pragma once

namespace tributary::messages {

/// A module was given a configuration that it refuses.
inline constexpr const char* configuration = "/tributary/configuration";
/// A link has fewer lines than a port needs, or two ports write or read one of its lines.
inline constexpr const char* link_binding = "/tributary/link_binding";
/// The simulated machine broke one of its own promises.
inline constexpr const char* simulation = "/tributary/simulation";
/// Something broke a rule of the TLM-2.0 base protocol, as a protocol_monitor or a module sees it.
inline constexpr const char* protocol = "/tributary/protocol";
/// Payloads of a payload_pool are still held where all must be back.
inline constexpr const char* payload_leak = "/tributary/payload_leak";

}  // namespace tributary::messages
