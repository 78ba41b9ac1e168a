// SPDX-License-Identifier: Apache-2.0
// Shared memory of nodes by software, a block at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/stache/stache_costs.h>
#include <tributary/protocols/stache/stache_memory.h>

namespace tributary {

class parameter_set;

/// Configuration of the protocol.
struct stache_config {
  std::uint64_t page_bytes = 4096;
  /// Pages of other nodes that a node has room for.
  std::uint64_t frames = 256;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` if processors of a node cannot load so many blocks of other nodes
  /// that are new to theirs (`request_way::new_load`).
  void check_new_blocks(std::uint64_t requests, std::uint32_t nodes, std::uint64_t shared_bytes,
                        line_size line) const;
};

/// Stache (Falsafi and Wood, section 6): the first bytes of each node's memory are shared. A node
/// keeps copies of other nodes' pages in frames of its own memory, and a tag says of each block, a
/// line, whether its processors may read or write it there. An access that its tag forbids is a
/// message of `line_read` or `line_read_exclusive`, by which the block's home finds who has it.
///
/// The home's directory names the readers or the one writer. While it awaits something, requests
/// wait for their turn; none is refused. A message about a copy that is still on its way waits
/// until that has come and the accesses that asked for it are done. So each answered request does
/// the accesses that wait for it, and everybody gets on.
///
/// A message for which a controller has no room waits in the node's memory, and a deferred handler
/// sends it (FLASH 2.3.6: handlers of the reply lane send nothing, the others what was promised to
/// them). What it is about stays as it is meanwhile, and messages may come in any order, so it does
/// not matter when it goes.
///
/// A frame that was given to a page stays the page's.
class stache_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t {
    get_to_read = 84,
    get_to_write,
    given_to_read,
    given_to_write,
    invalidate,
    invalidated,
    recall_to_read,
    recall_to_write,
    returned
  };

  /// `shared_bytes`: of each node's memory, whole pages. `line`: of the nodes. `nodes`: of the
  /// machine, up to `stache::most_nodes`. `outstanding`: accesses of a node that wait for blocks at
  /// once, where a controller may lack room for a message; 0 where it always has room. Throws
  /// `configuration_error` for what cannot be.
  stache_protocol(const stache_config& config, const stache_costs& costs,
                  std::uint64_t shared_bytes, line_size line, std::uint32_t nodes,
                  std::uint32_t outstanding = 0);

  std::string name() const override { return "stache"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override { return places_.bytes(); }
  void initialize(const protocol_storage& where, word_memory& memory) override;
  std::optional<checked_blocks> checked() const override;

  /// Where things lie; once it is initialized.
  const stache::memory& places() const { return places_; }

 private:
  enum class want : std::uint8_t { to_read, to_write };
  /// A block that this node has or gets a copy of, or is the home of.
  struct place {
    std::uint64_t address = 0;  ///< of its first byte, at its home
    std::uint64_t block = 0;    ///< its number here
  };

  // Handlers.
  void fault(handler_context& context);
  void serve(handler_context& context);
  void given(handler_context& context);
  void invalidate(handler_context& context);
  void invalidated(handler_context& context);
  void recall(handler_context& context);
  void returned(handler_context& context);
  void send_later(handler_context& context);

  bool is_home(handler_context& context, std::uint64_t address) const {
    return context.is_local(address);
  }
  place home_place(handler_context& context, std::uint64_t address) const;
  /// The place of a block of another node, whose page has a frame.
  place copy_place(handler_context& context, std::uint64_t address) const;
  /// The same; gives its page a frame if it has none.
  place copy_place_made(handler_context& context, std::uint64_t address) const;
  std::uint64_t page_entry(handler_context& context, std::uint64_t address) const;

  block_tag tag_of(handler_context& context, const place& at) const;
  /// Whether a processor of this node may read, or else write.
  bool is_allowed(handler_context& context, const place& at, bool read) const;
  void set_tag(handler_context& context, const place& at, block_tag tag) const;
  std::uint64_t offset_of(const place& at) const { return places_.offset_of(at.block); }
  void send(handler_context& context, node_id to, message_type type, const place& about) const;
  /// To several nodes, a bit each.
  void send(handler_context& context, std::uint64_t nodes, message_type type,
            const place& about) const;
  bool try_send(handler_context& context, node_id to, message_type type, const place& about) const;
  /// It goes to these nodes once there is room.
  void put_off(handler_context& context, std::uint64_t nodes, message_type type,
               const place& about) const;

  // At the home.
  void ask(handler_context& context, const place& at, want wanted, std::uint32_t asker) const;
  /// Grants it, or asks others first; false if it has to wait for them.
  bool try_grant(handler_context& context, const place& at, want wanted, std::uint32_t asker) const;
  void grant(handler_context& context, const place& at, want wanted, std::uint32_t asker) const;
  void take_turns(handler_context& context, const place& at, std::uint32_t behind) const;
  void end_wait(handler_context& context, const place& at) const;

  // At who has a copy, or is to get it.
  void wake_waiting(handler_context& context, const place& at) const;
  void wake(handler_context& context, const place& at, std::uint32_t processor) const;
  bool is_on_its_way(handler_context& context, const place& at, stache::early_message about) const;
  void lose(handler_context& context, const place& at) const;
  void give_back(handler_context& context, const place& at, want wanted) const;

  stache_config config_;
  stache_costs costs_;
  stache::memory places_;
  handler_id send_later_ = no_handler;
};

}  // namespace tributary
