// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/switch_contents.h>

#include <algorithm>

#include <fmt/format.h>

namespace tributary {

std::string to_string(switch_contents contents) {
  std::string text;
  for (unsigned output = 0; output < 2; ++output) {
    for (unsigned number = 0; number < 2; ++number) {
      unsigned slot = 0;
      for (const auto& waiting : contents.queues[output][number]) {
        text += fmt::format("  output {} queue {} slot {}: {}{}\n", output, number, slot++,
                            to_string(waiting.request),
                            waiting.second ? ", combined with " + to_string(*waiting.second) : "");
      }
    }
    auto& held = contents.wait_buffers[output];
    std::sort(held.begin(), held.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& partner : held) {
      text += fmt::format("  output {} wait buffer: {} waits for {}\n", output,
                          to_string(partner.second), to_string(partner.first));
    }
  }
  for (unsigned input = 0; input < 2; ++input) {
    for (const reply& response : contents.reverse_queues[input]) {
      text += fmt::format("  input {} reverse queue: {}\n", input, to_string(response));
    }
  }
  return text.empty() ? "  empty\n" : text;
}

}  // namespace tributary
