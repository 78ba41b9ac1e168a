// SPDX-License-Identifier: Apache-2.0
// A protocol: message types, the rules that choose a handler for a message, and storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/word_memory.h>

namespace tributary {

/// What a controller may have beyond the least; a protocol that needs more than a controller has is
/// refused when the machine is built.
enum class facility : std::uint8_t {
  realignment  ///< fills that shift a line by doublewords
};
/// "realignment", as in messages.
const char* name_of(facility value);

/// Whether a node is the home of an address.
enum class locality : std::uint8_t { local, remote, any };

/// Memory operation that dispatch starts before the handler runs (FLASH 2.3.1).
enum class speculation : std::uint8_t {
  none,
  read_line,
  /// Not while a handler runs for the same line, because that may write it; nor while a deferred
  /// one runs, which may write any.
  read_other_line
};

/// Which handler serves a message. Type, origin and locality are the key, the others filter
/// among at most four candidates of one key, in the order in which they are declared (FLASH 2.2.2).
struct dispatch_rule {
  std::uint8_t type = 0;
  message_origin origin = message_origin::network;
  locality where = locality::any;  ///< whether this node is the home of the message's address
  handler_id run = no_handler;     ///< by its place in this protocol's `handler_names`
  std::optional<std::uint8_t> space = {};
  std::optional<std::uint8_t> flavor = {};
  std::optional<std::uint8_t> process = {};
  /// Only if a staging buffer is free, as for a handler that cannot do without one. A rule for
  /// messages of the network needs a later one without, whose handler refuses: messages that wait
  /// behind the one that needs a buffer may hold them all.
  bool needs_buffer = false;
  speculation ahead = speculation::none;
};

/// Tells the number of what a message is about, as of a lock, from its address's offset.
using message_number = std::uint64_t (*)(std::uint64_t offset);

/// A type of messages and its name.
struct message_name {
  std::uint8_t type = 0;
  const char* name = "";
  message_number number = nullptr;  ///< for traces; null where there is none
};

/// What a statistic of handlers makes of the values that they count.
enum class counted_kind : std::uint8_t {
  events,  ///< their sum
  sizes,   ///< their mean, least and greatest
  level    ///< the greatest number in use: 1 counts one more, 0 one fewer
};

/// A statistic in which handlers count by the operation `count`.
struct protocol_statistic {
  const char* name;  ///< as "refused.pending"
  counted_kind kind;
  const char* unit;
  const char* description;
};

/// Whether `wide` lets every message through that `narrow` lets through; of one type, origin and
/// locality.
bool filters_less(const dispatch_rule& wide, const dispatch_rule& narrow);

/// Lines of an address space, at the same place on each node, that a node's own processor maps
/// cacheable and not coherent: a handler of `line_read` gives them, and no directory knows of them
/// (FLASH 4.1.3, 6.1.4). Caches ask for them only to read; the handler may answer with an
/// exclusive one, which they can write, and whose write-back comes to a handler too.
struct noncoherent_page {
  std::uint8_t space = 0;
  std::uint64_t offset = 0;  ///< of its first byte, a multiple of `bytes`
  std::uint64_t bytes = 0;   ///< a power of two
  /// A store so many bytes behind a line drops it from the processor's caches; 0 if none does. All
  /// pages of a node that have one have the same.
  std::uint64_t drop_distance = 0;

  bool has(const address_layout& layout, std::uint64_t address) const {
    return layout.space_of(address) == space && layout.offset_of(address) / bytes == offset / bytes;
  }
};

/// Words of address space 0 that a processor's caches leave to handlers of `uncached_operation`.
struct operated_words {
  /// Operations that change a word go to handlers wherever the word is; loads and stores do not.
  bool cached = false;
  /// Of each node's memory, from its beginning, a power of two: caches do not keep it, and all
  /// accesses go to handlers.
  std::uint64_t uncached_bytes = 0;
};

/// What a processor may do with a block.
enum class block_tag : std::uint8_t {
  untouched,  ///< read and write at the block's home, nothing elsewhere
  invalid,
  read_only,
  read_write
};

/// Blocks whose accesses are checked by their tags (`access_tags`): the first bytes of each node's
/// memory, and frames that hold pages of other nodes. An access that its tag forbids becomes a
/// request of `line_read` or `line_read_exclusive`; it is done again when a handler answers it.
struct checked_blocks {
  std::uint64_t shared_bytes = 0;  ///< of each node
  std::uint64_t page_bytes = 0;
  std::uint64_t page_table = 0;  ///< a word a page of each node: its frame, 1 more; 0: none
  std::uint64_t tags = 0;        ///< a word a block: first those of this node, then of frames
  /// Behind both tables, which begin at `page_table`; no line has a word of them and another one.
  std::uint64_t tables_end = 0;
  std::uint64_t first_frame = 0;  ///< where frame 0 begins
  std::uint64_t frames = 0;
  line_size line{};  ///< of a block
};

/// Where a protocol keeps its state on one node.
struct protocol_storage {
  node_id node{};
  std::uint32_t nodes = 1;      ///< of the machine
  std::uint64_t address = 0;    ///< first byte of `storage_bytes`, at a line's start, space 0
  handler_id first_handler{0};  ///< of this protocol among all of the node
  line_size line{};             ///< of the node's memory
};

/// What one node does for messages, whatever runs its handlers: their bodies are an executor's, as
/// those in C++ of a `fiber_protocol`. An object serves one node, and keeps everything that changes
/// in that node's memory, so that every controller and executor sees the same bytes.
class protocol {
 public:
  protocol() = default;
  protocol(const protocol&) = delete;
  protocol& operator=(const protocol&) = delete;
  virtual ~protocol() = default;

  virtual std::string name() const = 0;
  virtual std::vector<facility> needs() const { return {}; }
  /// A type of 16 and above that is named here is this protocol's; no other may name it.
  virtual std::vector<dispatch_rule> rules() const = 0;
  /// For statistics, traces and messages: lower case, digits and underscores,
  /// "block_transfer.setup" once the protocol's name is in front.
  virtual std::vector<std::string> handler_names() = 0;

  /// What traces call its own types of messages; one that is not named here is told by its number.
  virtual std::vector<message_name> message_names() const { return {}; }

  /// Lines that it gives to the caches of its node's processor.
  virtual std::vector<noncoherent_page> noncoherent_pages() const { return {}; }

  /// What it performs operations on.
  virtual operated_words operations() const { return {}; }

  /// Blocks whose accesses are checked; nothing if there are none. Known once it is initialized.
  virtual std::optional<checked_blocks> checked() const { return std::nullopt; }

  /// What its handlers count; a node keeps it where processors have caches.
  virtual std::vector<protocol_statistic> statistics() const { return {}; }

  virtual std::uint64_t storage_bytes() const { return 0; }
  /// Called once, before the first cycle; memory is 0 wherever nothing was written.
  virtual void initialize(const protocol_storage& where, word_memory& memory) = 0;
};

}  // namespace tributary
