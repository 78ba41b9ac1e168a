// SPDX-License-Identifier: Apache-2.0
// A second model of one systolic queue, cell by cell from the rules of its page alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/network/omega/partner_pool.h>

namespace tributary::testing {

/// The columns IN, OUT and CHUTE as cells (docs/models/systolic_queue.md). Slow on purpose; it
/// shares with the models only the operations and their composition.
class golden_systolic_queue {
 public:
  /// `forms_combine(first, second)`: whether requests of these forms combine.
  golden_systolic_queue(std::size_t slots, bool coupled,
                        std::function<bool(form, form)> forms_combine)
      : coupled_(coupled), forms_combine_(std::move(forms_combine)), cells_(slots) {}

  /// One cycle. `head_leaves` as the switch decided; `buffer_full`: the wait buffer, at the start.
  void step(bool head_leaves, bool buffer_full, const std::optional<packet>& arrival);

  /// What waits, the oldest first: a request as it travels on, and its partner.
  std::vector<std::pair<packet, std::optional<partner>>> entries() const;

 private:
  struct row {
    std::optional<packet> in;
    std::optional<packet> out;
    std::optional<packet> chute;
  };

  bool match(const row& climbing, const row& waiting) const;
  void combine(bool head_leaves);
  void leave();
  void climb(const std::optional<packet>& arrival);

  bool coupled_;
  std::function<bool(form, form)> forms_combine_;
  std::vector<row> cells_;  // the exit first
};

}  // namespace tributary::testing
