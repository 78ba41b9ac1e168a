// SPDX-License-Identifier: Apache-2.0
// A line that another protocol reads or writes in the memory of its home.
#pragma once

#include <cstdint>

#include <tributary/protocols/coherence/handlers.h>
#include <tributary/protocols/line_states.h>

namespace tributary::coherence {

// Instead of a record's number the entry keeps what is awaited.
static_assert(line_states::most_awaited <= directory_entry::most_records());

/// The directory's side of `line_states`, for the line at one address (FLASH 5.2.2, 5.3.1). As
/// `handlers` it neither throws nor allocates. A handler makes one for each question.
template <class Node>
class transferred_line : private handlers<Node> {
  using base = handlers<Node>;
  using base::load;
  using base::node_;
  using base::save;

 public:
  transferred_line(Node& node, const handler_settings& with, std::uint64_t address)
      : base(node, with, address) {}

  // --- reading -----------------------------------------------------------------------------------

  line_place place() { return place_in(load()); }
  void ask_processor(payload_handle data) {
    node_.intervene(intervention::get, base::line_address(), data, true);
  }
  bool take_from_processor(payload_handle data) {
    // Else its write-back is in the queue from the processor (FLASH 5.2.2).
    if (node_.state_reply() == line_state::invalid) return false;
    directory_entry entry = load();
    node_.spill(data, base::line());
    entry.set_dirty(false);
    save(entry);
    return true;
  }
  node_id begin_asking_owner() {
    directory_entry entry = load();
    entry.set_pending(true);
    save(entry);
    return entry.remote();
  }
  void take_from_owner(payload_handle data) {
    directory_entry entry = load();
    node_.spill(data, base::line());
    entry.set_dirty(false);
    entry.set_pending(false);
    save(entry);
  }
  /// A write-back that was on its way may have come meanwhile.
  void end_asking_owner() {
    directory_entry entry = load();
    entry.set_pending(false);
    save(entry);
  }

  // --- writing -----------------------------------------------------------------------------------

  line_holders holders() {
    const directory_entry entry = load();
    line_holders found;
    found.place = place_in(entry);
    if (found.place != line_place::memory) return found;
    found.local = entry.local();
    found.others = base::count_others(entry, node_.here());
    return found;
  }
  void take_sharing() {
    directory_entry entry = load();
    node_.intervene(intervention::invalidate, base::line_address(), no_payload, false);
    entry.set_local(false);
    save(entry);
  }
  void drop_dirty() {
    node_.intervene(intervention::invalidate, base::line_address(), no_payload, true);
  }
  bool dropped() {
    if (node_.state_reply() == line_state::invalid) return false;
    directory_entry entry = load();
    entry.clear_owner();
    save(entry);
    return true;
  }
  node_id next_holder() {
    directory_entry entry = load();
    entry.set_pending(true);
    entry.set_acknowledgements(entry.acknowledgements() + 1);
    node_id holder = entry.remote();
    if (entry.list() != 0) {
      holder = base::node_of_element(entry.list());
      base::pop_element(entry);
    } else if (!entry.dirty()) {
      entry.clear_remote();
    }
    save(entry);
    return holder;
  }
  void await(word_t awaited) {
    directory_entry entry = load();
    entry.set_record(awaited);
    save(entry);
  }
  word_t acknowledged(bool had) {
    directory_entry entry = load();
    // The owner's write-back may be slower than its acknowledgement: then it ends the ownership.
    if (entry.dirty() && had) entry.clear_owner();
    entry.set_acknowledgements(entry.acknowledgements() - 1);
    word_t written_for = 0;
    if (entry.acknowledgements() == 0) {
      written_for = entry.record();
      entry.set_record(0);
      entry.set_pending(false);
    }
    save(entry);
    return written_for;
  }

  // --- at others ---------------------------------------------------------------------------------

  bool was_there() { return node_.state_reply() != line_state::invalid; }
  /// When sequential, an acknowledgement is about what the caches have done.
  bool drop(bool wants_state) {
    const bool waits = wants_state || base::with_.sequential;
    node_.intervene(intervention::invalidate, base::line_address(), no_payload, waits);
    return waits && node_.state_reply() != line_state::invalid;
  }

 private:
  static line_place place_in(const directory_entry& entry) {
    if (entry.pending() || entry.owned()) return line_place::pending;
    if (!entry.dirty()) return line_place::memory;
    return entry.local() ? line_place::processor : line_place::owner;
  }
};

}  // namespace tributary::coherence
