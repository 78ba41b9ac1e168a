// SPDX-License-Identifier: Apache-2.0
// The user's wish that a run ends now.
#pragma once

#include <atomic>

namespace tributary {

/// Lets SIGINT, SIGTERM and SIGHUP, unless they are ignored, set a flag instead of ending the
/// program; a second SIGINT or SIGTERM ends it at once. Returns the flag.
const std::atomic<bool>& watch_for_interruption();

}  // namespace tributary
