// SPDX-License-Identifier: Apache-2.0
// An explored node that breaks a promise, so that the exploration has to notice.
#pragma once

#include <cstdint>

#include "explored_node.h"

namespace tributary::testing {

enum class seeded_fault : std::uint8_t {
  none,
  lost_acknowledgement,  ///< no home hears of an invalidation
  lost_refusal,          ///< no home hears that a forwarded request was refused
  lost_completion,       ///< no writer hears that its write is complete
  lost_late_grant,       ///< what follows the last acknowledgement is not put off
  kept_shared_line,      ///< a late invalidation leaves a shared line shared
  made_exclusive,        ///< a late invalidation makes a shared line exclusive
  found_upgrade,         ///< interventions find a line whose upgrade is outstanding
  forgotten_early,       ///< a home forgets that the new owner has written the line back
  cleared_owner,         ///< a home that an owner has refused does not wait for its write-back
  kept_pending,          ///< the same home waits for it though it may have come
  stale_memory,          ///< a line that comes back is not written
  surviving_line,        ///< an invalidation leaves the line in the cache
  assumed_line,          ///< each intervention is said to have found its line
  lost_element,          ///< list elements that are given back are not used again
  one_reply              ///< a request is promised one reply
};

class faulty_node : public explored_node {
 public:
  faulty_node(const explored_plan& plan, explored_state& state, const message& arrived,
              copy_of_line data, const explored_luck& luck)
      : explored_node(plan, state, arrived, data, luck) {
    if (has(seeded_fault::one_reply)) promise_replies(1);
  }

  void send(const message& sent) {
    if (is_lost(sent)) return;
    if (sent.type != static_cast<std::uint8_t>(common_type::line_shared)) {
      explored_node::send(sent);
      return;
    }
    explored_line& line = cached(sent);
    message changed = sent;
    if (has(seeded_fault::made_exclusive) && line.invalidated) {
      changed.type = static_cast<std::uint8_t>(common_type::line_exclusive);
    }
    if (has(seeded_fault::kept_shared_line)) line.invalidated = false;
    explored_node::send(changed);
  }

  void later(std::uint64_t record, handler_id run, const message& with) {
    const bool grants = run == plan().settings.deferred.grant_late;
    if (has(seeded_fault::lost_late_grant) && grants) return;
    explored_node::later(record, run, with);
  }

  void store(std::uint64_t address, word_t value) {
    const coherence::directory_layout& at = plan().settings.layout;
    const std::uint64_t first = at.entry(0);
    if (address >= first && address < at.entry(at.lines << at.line_shift)) {
      explored_node::store(address, spoilt(coherence::directory_entry(value)).word());
    } else if (!has(seeded_fault::lost_element) || address != at.base + at.free_element) {
      explored_node::store(address, value);
    }
  }

  void spill(payload_handle data, std::uint64_t line) {
    if (!has(seeded_fault::stale_memory)) explored_node::spill(data, line);
  }

  void intervene(intervention asked, std::uint64_t line, payload_handle data, bool wants_state) {
    explored_line& there = cached(arrived());
    const explored_line before = there;
    if (has(seeded_fault::found_upgrade) && there.want == line_want::upgrade) {
      there.want = line_want::exclusive;
    }
    explored_node::intervene(asked, line, data, wants_state);
    there.want = before.want;
    if (has(seeded_fault::surviving_line) && asked == intervention::invalidate) {
      there.state = before.state;
      there.data = before.data;
    }
  }
  line_state state_reply() {
    const line_state found = explored_node::state_reply();
    return has(seeded_fault::assumed_line) ? line_state::exclusive : found;
  }

 private:
  bool has(seeded_fault fault) const { return plan().setup().fault == fault; }

  bool is_lost(const message& sent) const {
    switch (static_cast<coherence::message_type>(sent.type)) {
      case coherence::message_type::invalidated:
        return has(seeded_fault::lost_acknowledgement);
      case coherence::message_type::forward_refused:
        return has(seeded_fault::lost_refusal);
      case coherence::message_type::all_invalidated:
        return has(seeded_fault::lost_completion);
      default:
        return false;
    }
  }

  coherence::directory_entry spoilt(coherence::directory_entry entry) const {
    if (has(seeded_fault::forgotten_early)) entry.set_early(false);
    const bool after_refusal =
        arrived().origin == message_origin::network &&
        arrived().type == static_cast<std::uint8_t>(coherence::message_type::forward_refused);
    if (!after_refusal) return entry;
    if (has(seeded_fault::cleared_owner)) entry.clear_owner();
    if (has(seeded_fault::kept_pending)) entry.set_pending(true);
    return entry;
  }
};

}  // namespace tributary::testing
