// SPDX-License-Identifier: Apache-2.0
// What a protocol asks about a line before it reads or writes it in memory.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>

namespace tributary {

class handler_context;

/// Where a line has its newest words.
enum class line_place : std::uint8_t {
  memory,     ///< whoever shares it
  processor,  ///< in the caches of its home, dirty
  owner,      ///< in those of another node, dirty
  pending     ///< others are at it: try again later
};

/// Who has a line that is to be written.
struct line_holders {
  line_place place = line_place::memory;
  bool local = false;  ///< the home's own caches share it
  word_t others = 0;   ///< nodes that share it besides
};

/// The states of the lines whose home is one node. What a question costs is part of the asking
/// handler's cost. All but `is_uncached`, `place_of` and `holders_of` is for machines with caches.
class line_states {
 public:
  line_states() = default;
  line_states(const line_states&) = delete;
  line_states& operator=(const line_states&) = delete;
  virtual ~line_states() = default;

  /// Whether memory has the line at `address`, and nobody does anything with it; else one tries
  /// again later (FLASH 6.3, 6.4).
  virtual bool is_uncached(handler_context& context, std::uint64_t address) = 0;

  // To read a line (FLASH 5.2.2, 5.3.1).

  /// Where it is.
  virtual line_place place_of(handler_context& context, std::uint64_t address) {
    return is_uncached(context, address) ? line_place::memory : line_place::pending;
  }
  /// Asks the caches of this node for the line, which streams into a buffer; two may be asked for.
  virtual void ask_processor(handler_context&, std::uint64_t, payload_handle) {}
  /// Whether they had the line that was asked for first. Then memory gets it too, and they share
  /// it.
  virtual bool take_from_processor(handler_context&, std::uint64_t, payload_handle) {
    return false;
  }
  /// The owner, who is to be asked; the line is pending until one of the two below.
  virtual node_id begin_asking_owner(handler_context&, std::uint64_t) { return node_id{}; }
  /// The owner shares the line now, and here it is for memory.
  virtual void take_from_owner(handler_context&, std::uint64_t, payload_handle) {}
  /// The owner did not give it.
  virtual void end_asking_owner(handler_context&, std::uint64_t) {}

  // To write a line (FLASH 5.2.2, 5.3.1).

  /// Who has it.
  virtual line_holders holders_of(handler_context& context, std::uint64_t address) {
    return {place_of(context, address), false, 0};
  }
  /// This node's caches, which share it, lose it.
  virtual void take_sharing(handler_context&, std::uint64_t) {}
  /// This node's caches, which have it dirty, are told to drop it; `dropped` tells whether they
  /// did.
  virtual void drop_dirty(handler_context&, std::uint64_t) {}
  /// If they did not, the line is on its way to memory.
  virtual bool dropped(handler_context&, std::uint64_t) { return false; }
  /// A node that shares or owns it, which is to be told to drop it. The line is pending until all
  /// have acknowledged.
  virtual node_id next_holder(handler_context&, std::uint64_t) { return node_id{}; }
  /// What the last acknowledgement is to tell: not 0, below 256.
  virtual void await(handler_context&, std::uint64_t, word_t) {}
  /// A node has dropped the line; `had`: it was there. If it was the last, what was given to
  /// `await`, else 0.
  virtual word_t acknowledged(handler_context&, std::uint64_t, bool) { return 0; }

  // On a node that is not the home.

  /// Whether this node's caches, by `ask_processor`, had the line of another. They share it then.
  virtual bool was_there(handler_context&, std::uint64_t) { return false; }
  /// Tells them to drop it, and whether it was there, if `wants_state`.
  virtual bool drop(handler_context&, std::uint64_t, bool) { return false; }

  // To own a line of any node, in whatever caches it is (FLASH 4.4.2: the robust path).

  /// Whether lines have homes that can be asked.
  virtual bool has_homes() const { return false; }
  /// Asks for the line; the handler `run` is put off until this node owns it. False if this node
  /// asks for too many lines at once.
  virtual bool ask_to_own(handler_context&, std::uint64_t, handler_id, word_t) { return false; }
  /// In that handler: the argument that was given with it, the line into a buffer, and the line
  /// back to its home, which gives the buffer up.
  virtual word_t owned_argument(handler_context&) { return 0; }
  virtual void take_owned(handler_context&, payload_handle) {}
  virtual void give_back(handler_context&, payload_handle) {}
};

/// A machine without caches.
class uncached_lines final : public line_states {
 public:
  bool is_uncached(handler_context&, std::uint64_t) override { return true; }
};

}  // namespace tributary
