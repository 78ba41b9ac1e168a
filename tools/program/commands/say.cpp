// SPDX-License-Identifier: Apache-2.0
#include "say.h"

#include <cstdio>

namespace tributary {

// Not fmt::print, which throws where not all could be written.
void say(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace tributary
