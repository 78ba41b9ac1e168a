// SPDX-License-Identifier: Apache-2.0
// A line that a handler owns by the robust path (FLASH 4.4.2).
#pragma once

#include <cstdint>

#include <tributary/protocols/coherence/handlers.h>

namespace tributary::coherence {

/// The table's side of `line_states`: entries of lines that this node's protocol processor asks for
/// or has. As `handlers` it neither throws nor allocates.
template <class Node>
class owned_line : private handlers<Node> {
  using base = handlers<Node>;
  using base::at_;
  using base::node_;

 public:
  /// The protocol processor keeps its lines whole and aligned: they move in the order of addresses.
  owned_line(Node& node, const handler_settings& with, std::uint64_t address)
      : base(node, with, with.layout.line_start(address)) {}

  /// Enters the line in the table and asks for it; the handler `run` is put off until the line is
  /// there. False if all entries are in use.
  bool ask(handler_id run, word_t argument) {
    const word_t in_use = node_.load(used());
    std::uint8_t entry = 0;
    while (entry < at_.owned && (in_use >> entry & 1) != 0) ++entry;
    if (entry == at_.owned) return false;
    node_.store(used(), in_use | word_t{1} << entry);
    const std::uint64_t record = at_.owned_record(entry);
    node_.store(record + directory_layout::owned_address, base::line_address());
    node_.store(record + directory_layout::owned_handler, static_cast<word_t>(run));
    node_.store(record + directory_layout::owned_argument, argument);
    base::ask_later({node_.here(), entry, false, true});
    return true;
  }

  // --- in the handler that was put off -----------------------------------------------------------

  word_t argument() {
    return node_.load(at_.owned_record(entry()) + directory_layout::owned_argument);
  }
  /// The line into a buffer.
  void take(payload_handle data) { node_.fill(data, at_.owned_line(entry())); }
  /// Writes the line back, and gives up the buffer and the entry.
  void give_back(payload_handle data) {
    const node_id home = node_.addresses().node_of(base::line_address());
    if (home == node_.here()) {
      directory_entry entry = base::load();
      node_.spill(data, base::line());
      node_.release(data);
      entry.clear_owner();
      base::save(entry);
    } else {
      base::send_line(home, message_type::write_back, message_lane::request, node_.arrived().aux,
                      data);
    }
    node_.store(used(), node_.load(used()) & ~(word_t{1} << entry()));
  }

 private:
  std::uint64_t used() const { return at_.base + directory_layout::owned_lines; }
  std::uint8_t entry() const { return requester::of(node_.arrived().aux).tag; }
};

}  // namespace tributary::coherence
