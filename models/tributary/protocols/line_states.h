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
  memory,     ///< all that share it
  processor,  ///< in the caches of its home, dirty
  owner,      ///< in those of another node, dirty
  pending     ///< others are at it: try again later
};

/// Who has a line that is to be written.
struct line_holders {
  line_place place = line_place::memory;
  bool local = false;  ///< the home's own caches share it
  word_t others = 0;   ///< other nodes that share it
};

/// The states of the lines whose home is one node. What a question costs is part of the asking
/// handler's cost.
class line_states {
 public:
  /// The highest value that may be awaited.
  static constexpr word_t most_awaited = 255;

  line_states() = default;
  line_states(const line_states&) = delete;
  line_states& operator=(const line_states&) = delete;
  virtual ~line_states() = default;

  // To read a line (FLASH 5.2.2, 5.3.1).

  /// Where it is.
  virtual line_place place_of(handler_context& context, std::uint64_t address) = 0;
  /// Asks the caches of this node for the line, which streams into a buffer; two may be asked for.
  virtual void ask_processor(handler_context& context, std::uint64_t address,
                             payload_handle data) = 0;
  /// Whether they had the line that was asked for first. Then memory gets it too, and they share
  /// it.
  virtual bool take_from_processor(handler_context& context, std::uint64_t address,
                                   payload_handle data) = 0;
  /// The owner, who is to be asked; the line is pending until one of the two below.
  virtual node_id begin_asking_owner(handler_context& context, std::uint64_t address) = 0;
  /// The owner shares the line now, and here it is for memory.
  virtual void take_from_owner(handler_context& context, std::uint64_t address,
                               payload_handle data) = 0;
  /// The owner did not give it.
  virtual void end_asking_owner(handler_context& context, std::uint64_t address) = 0;

  // To write a line (FLASH 5.2.2, 5.3.1).

  /// Who has it.
  virtual line_holders holders_of(handler_context& context, std::uint64_t address) = 0;
  /// This node's caches, which share it, lose it.
  virtual void take_sharing(handler_context& context, std::uint64_t address) = 0;
  /// This node's caches, which have it dirty, are told to drop it; `dropped` tells whether they
  /// did.
  virtual void drop_dirty(handler_context& context, std::uint64_t address) = 0;
  /// If they did not, the line is on its way to memory.
  virtual bool dropped(handler_context& context, std::uint64_t address) = 0;
  /// A node that shares or owns it, which is to be told to drop it. The line is pending until all
  /// have acknowledged.
  virtual node_id next_holder(handler_context& context, std::uint64_t address) = 0;
  /// What the last acknowledgement is to tell: from 1 to `most_awaited`.
  virtual void await(handler_context& context, std::uint64_t address, word_t awaited) = 0;
  /// A node has dropped the line; `had`: it was there. If it was the last, what was given to
  /// `await`, else 0.
  virtual word_t acknowledged(handler_context& context, std::uint64_t address, bool had) = 0;

  // On a node that is not the home.

  /// Whether this node's caches, by `ask_processor`, had the line of another. They share it then.
  virtual bool was_there(handler_context& context, std::uint64_t address) = 0;
  /// Tells them to drop it, and whether it was there, if `wants_state`.
  virtual bool drop(handler_context& context, std::uint64_t address, bool wants_state) = 0;

  // To own a line of any node, in whatever caches it is (FLASH 4.4.2: the robust path).

  /// Whether lines have homes that can be asked.
  virtual bool has_homes() const = 0;
  /// Asks for the line; the handler `run` is put off until this node owns it. False if this node
  /// asks for too many lines at once.
  virtual bool ask_to_own(handler_context& context, std::uint64_t address, handler_id run,
                          word_t argument) = 0;
  /// In that handler: the argument that was given with it, the line into a buffer, and the line
  /// back to its home, which gives the buffer up.
  virtual word_t owned_argument(handler_context& context) = 0;
  virtual void take_owned(handler_context& context, payload_handle data) = 0;
  virtual void give_back(handler_context& context, payload_handle data) = 0;
};

/// A machine without caches: all lines are in memory, or pending where `is_uncached` of a class
/// derived from this one says so. What only caches are asked throws `simulation_error`.
class uncached_lines : public line_states {
 public:
  /// Whether memory has the line at `address`, and nothing is under way for it; else one tries
  /// again later (FLASH 6.3, 6.4).
  virtual bool is_uncached(handler_context& context, std::uint64_t address);
  line_place place_of(handler_context& context, std::uint64_t address) final;
  line_holders holders_of(handler_context& context, std::uint64_t address) final;

  void ask_processor(handler_context& context, std::uint64_t address, payload_handle data) final;
  bool take_from_processor(handler_context& context, std::uint64_t address,
                           payload_handle data) final;
  node_id begin_asking_owner(handler_context& context, std::uint64_t address) final;
  void take_from_owner(handler_context& context, std::uint64_t address, payload_handle data) final;
  void end_asking_owner(handler_context& context, std::uint64_t address) final;
  void take_sharing(handler_context& context, std::uint64_t address) final;
  void drop_dirty(handler_context& context, std::uint64_t address) final;
  bool dropped(handler_context& context, std::uint64_t address) final;
  node_id next_holder(handler_context& context, std::uint64_t address) final;
  void await(handler_context& context, std::uint64_t address, word_t awaited) final;
  word_t acknowledged(handler_context& context, std::uint64_t address, bool had) final;
  bool was_there(handler_context& context, std::uint64_t address) final;
  bool drop(handler_context& context, std::uint64_t address, bool wants_state) final;

  bool has_homes() const final { return false; }
  bool ask_to_own(handler_context& context, std::uint64_t address, handler_id run,
                  word_t argument) final;
  word_t owned_argument(handler_context& context) final;
  void take_owned(handler_context& context, payload_handle data) final;
  void give_back(handler_context& context, payload_handle data) final;
};

}  // namespace tributary
