// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/stache/stache.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using stache::directory_word;
using stache::early_message;
using stache::faults_word;
using stache::turns_word;

constexpr std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number; }

/// Calls `visit(number)` for each bit that is set, ascending.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
  for (std::uint32_t number = 0; bits != 0; ++number, bits >>= 1) {
    if ((bits & 1) != 0) visit(number);
  }
}

/// Messages that wait for room are about an access each that waits for a block: at its home, or at
/// a node that is to give the block back.
std::uint64_t most_put_off(std::uint32_t nodes, std::uint32_t outstanding) {
  std::uint64_t places = 1;
  while (places < std::uint64_t{2} * nodes * outstanding) places *= 2;
  return outstanding == 0 ? 0 : places;
}

}  // namespace

void stache_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("fault", fault, "Asking a block's home, at the node of the access (section 6: 140).");
  add("serve", serve, "Serving that, at the home (section 6: 125).");
  add("reply", reply, "Taking the block, at the node of the access (section 6: 140).");
  add("invalidate", invalidate, "Losing a copy (assumed, as serve).");
  add("invalidated", invalidated, "Taking the acknowledgement, at the home (assumed, as reply).");
  add("recall", recall, "Giving a block back to its home (assumed, as serve).");
  add("returned", returned, "Taking it there (assumed, as reply).");
  add("page", page, "Giving a frame to a page, in addition (not published).");
}

void stache_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add("page_bytes", page_bytes, u64{512, 65536}, "bytes",
                 "Of a page, by which homes and frames are given: a power of two (section 2: at "
                 "the page granularity).");
  parameters.add("frames", frames, u64{1, 1U << 20U}, "pages",
                 "Pages of other nodes that a node has room for; one more ends the run.");
}

void stache_config::check_new_blocks(std::uint64_t requests, std::uint32_t nodes,
                                     std::uint64_t shared_bytes, line_size line) const {
  const std::uint64_t most = shared_bytes / page_bytes * page_bytes / line.bytes();
  if (requests > most) {
    throw configuration_error({"workload.requests.requests", "",
                               fmt::format("{} that each load a block of its own are more than the "
                                           "blocks that nodes share",
                                           requests),
                               fmt::format("1 to {} with Stache", most),
                               "lower it, or raise node.memory.bytes"});
  }
  const std::uint64_t pages =
      std::min(requests, (requests * line.bytes() + page_bytes - 1) / page_bytes * (nodes - 1));
  if (pages <= frames) return;
  throw configuration_error(
      {"stache.frames", "",
       fmt::format("{} are too few for the pages that {} requests load", frames, requests),
       fmt::format("{} or more", pages), "raise it, or lower workload.requests.requests"});
}

stache_protocol::stache_protocol(const stache_config& config, const stache_costs& costs,
                                 std::uint64_t shared_bytes, line_size line, std::uint32_t nodes,
                                 std::uint32_t outstanding)
    : config_(config), costs_(costs) {
  if ((config.page_bytes & (config.page_bytes - 1)) != 0) {
    throw configuration_error({"stache.page_bytes", "",
                               fmt::format("{} is no power of two", config.page_bytes),
                               "512, 1024, ... 65536", "choose a power of two"});
  }
  if (nodes > stache::most_nodes) {
    throw configuration_error({"nodes", "",
                               fmt::format("the directory of Stache does not know {}", nodes),
                               fmt::format("2 to {}", stache::most_nodes), "choose fewer"});
  }
  places_.nodes = nodes;
  places_.line = line;
  places_.shared_bytes = shared_bytes / config.page_bytes * config.page_bytes;
  places_.page_bytes = config.page_bytes;
  places_.frames = config.frames;
  places_.put_off = most_put_off(nodes, outstanding);
}

std::vector<dispatch_rule> stache_protocol::rules() const {
  const auto from_processor = [](common_type type) {
    dispatch_rule rule{static_cast<std::uint8_t>(type), message_origin::processor, locality::any,
                       handler_id{0}};
    rule.space = 0;
    return rule;
  };
  const auto from_network = [](message_type type, std::uint16_t run) {
    return dispatch_rule{static_cast<std::uint8_t>(type), message_origin::network, locality::any,
                         handler_id{run}};
  };
  return {from_processor(common_type::line_read),
          from_processor(common_type::line_read_exclusive),
          from_network(message_type::get_to_read, 1),
          from_network(message_type::get_to_write, 1),
          from_network(message_type::given_to_read, 2),
          from_network(message_type::given_to_write, 2),
          from_network(message_type::invalidate, 3),
          from_network(message_type::invalidated, 4),
          from_network(message_type::recall_to_read, 5),
          from_network(message_type::recall_to_write, 5),
          from_network(message_type::returned, 6)};
}

std::vector<message_name> stache_protocol::message_names() const {
  const auto named = [](message_type type, const char* name) {
    return message_name{static_cast<std::uint8_t>(type), name};
  };
  return {named(message_type::get_to_read, "get_to_read"),
          named(message_type::get_to_write, "get_to_write"),
          named(message_type::given_to_read, "given_to_read"),
          named(message_type::given_to_write, "given_to_write"),
          named(message_type::invalidate, "invalidate"),
          named(message_type::invalidated, "invalidated"),
          named(message_type::recall_to_read, "recall_to_read"),
          named(message_type::recall_to_write, "recall_to_write"),
          named(message_type::returned, "returned")};
}

std::vector<handler> stache_protocol::handlers() {
  using self = stache_protocol;
  static constexpr named_body<self> bodies[] = {{"fault", &self::fault},
                                                {"serve", &self::serve},
                                                {"given", &self::given},
                                                {"invalidate", &self::invalidate},
                                                {"invalidated", &self::invalidated},
                                                {"recall", &self::recall},
                                                {"returned", &self::returned},
                                                {"send_later", &self::send_later}};
  return handlers_from(*this, bodies);
}

void stache_protocol::initialize(const protocol_storage& where, word_memory&) {
  places_.base = where.address;
  constexpr std::uint16_t last_handler = 7;
  send_later_ = handler_id{
      static_cast<std::uint16_t>(static_cast<std::uint16_t>(where.first_handler) + last_handler)};
}

std::optional<checked_blocks> stache_protocol::checked() const {
  checked_blocks all;
  all.shared_bytes = places_.shared_bytes;
  all.page_bytes = places_.page_bytes;
  all.page_table = places_.page_entry(0, 0);
  all.tags = places_.tag(0);
  all.tables_end = places_.faults(0);
  all.first_frame = places_.first_frame();
  all.frames = places_.frames;
  all.line = places_.line;
  return all;
}

// --- places --------------------------------------------------------------------------------------

stache_protocol::place stache_protocol::home_place(handler_context& context,
                                                   std::uint64_t address) const {
  const std::uint64_t start = places_.line.start(address);
  return {start, places_.block_at(context.addresses().offset_of(start))};
}

std::uint64_t stache_protocol::page_entry(handler_context& context, std::uint64_t address) const {
  const address_layout& layout = context.addresses();
  return places_.page_entry(index(layout.node_of(address)),
                            layout.offset_of(address) / places_.page_bytes);
}

stache_protocol::place stache_protocol::copy_place(handler_context& context,
                                                   std::uint64_t address) const {
  const std::uint64_t start = places_.line.start(address);
  const word_t frame = context.load(page_entry(context, address));
  if (frame == 0) {
    throw simulation_error(fmt::format("the page of address {:#x} has no frame", address));
  }
  const std::uint64_t in_page = context.addresses().offset_of(start) % places_.page_bytes;
  return {start, places_.block_at(places_.frame(frame - 1) + in_page)};
}

stache_protocol::place stache_protocol::copy_place_made(handler_context& context,
                                                        std::uint64_t address) const {
  if (context.load(page_entry(context, address)) == 0) {
    const word_t used = context.load(places_.frames_in_use());
    if (used == places_.frames) {
      throw simulation_error(
          fmt::format("all {} frames hold pages of other nodes; raise stache.frames, or share less",
                      places_.frames));
    }
    context.spend(costs_.page);
    context.store(places_.frames_in_use(), used + 1);
    context.store(page_entry(context, address), used + 1);
  }
  return copy_place(context, address);
}

block_tag stache_protocol::tag_of(handler_context& context, const place& at) const {
  return static_cast<block_tag>(context.load(places_.tag(at.block)));
}

bool stache_protocol::is_allowed(handler_context& context, const place& at, bool read) const {
  const block_tag tag = tag_of(context, at);
  if (tag == block_tag::untouched) return context.is_local(at.address);
  return tag == block_tag::read_write || (read && tag == block_tag::read_only);
}

void stache_protocol::set_tag(handler_context& context, const place& at, block_tag tag) const {
  context.store(places_.tag(at.block), static_cast<word_t>(tag));
}

// --- faults --------------------------------------------------------------------------------------

void stache_protocol::fault(handler_context& context) {
  const message arrived = context.arrived();
  const bool is_read = arrived.type == static_cast<std::uint8_t>(common_type::line_read);
  const bool local = is_home(context, arrived.address);
  context.spend(costs_.fault);
  const place at =
      local ? home_place(context, arrived.address) : copy_place_made(context, arrived.address);
  if (is_allowed(context, at, is_read)) {
    // It came for another processor. To ask once more would be wrong: an invalidation could be
    // taken for one of this copy, and the second copy stay.
    wake(context, at, arrived.tag);
    return;
  }
  word_t faults = context.load(places_.faults(at.block));
  const bool was_asked = faults_word::asked.in(faults) != 0;
  faults = faults_word::waiting.put(faults, faults_word::waiting.in(faults) | bit(arrived.tag));
  context.store(places_.faults(at.block), faults_word::asked.put(faults, 1));
  if (was_asked) return;  // what comes serves this one too, or it asks again
  if (local) {
    ask(context, at, is_read ? want::to_read : want::to_write, index(context.here()));
  } else {
    send(context, context.addresses().node_of(at.address),
         is_read ? message_type::get_to_read : message_type::get_to_write, at);
  }
}

void stache_protocol::given(handler_context& context) {
  const message arrived = context.arrived();
  const bool is_read = arrived.type == static_cast<std::uint8_t>(message_type::given_to_read);
  context.spend(costs_.reply);
  const place at = copy_place(context, arrived.address);
  context.spill(arrived.data, offset_of(at));
  context.settle();  // who is let in finds it there
  set_tag(context, at, is_read ? block_tag::read_only : block_tag::read_write);
  const word_t faults = context.load(places_.faults(at.block));
  wake_waiting(context, at);
  // The accesses that waited are done; now what came before the block.
  switch (static_cast<early_message>(faults_word::early.in(faults))) {
    case early_message::none:
      break;
    case early_message::invalidate:
      lose(context, at);
      break;
    case early_message::recall_to_read:
      give_back(context, at, want::to_read);
      break;
    case early_message::recall_to_write:
      give_back(context, at, want::to_write);
      break;
  }
}

void stache_protocol::wake_waiting(handler_context& context, const place& at) const {
  const word_t faults = context.load(places_.faults(at.block));
  context.store(places_.faults(at.block), 0);
  for_each_bit(faults_word::waiting.in(faults),
               [&](std::uint32_t processor) { wake(context, at, processor); });
}

void stache_protocol::wake(handler_context& context, const place& at,
                           std::uint32_t processor) const {
  message answer =
      message_to(context.here(), common_type::line_shared, message_lane::reply, at.address, 0);
  answer.tag = static_cast<std::uint8_t>(processor);
  context.send(answer);
}

// --- copies --------------------------------------------------------------------------------------

bool stache_protocol::is_on_its_way(handler_context& context, const place& at,
                                    early_message about) const {
  const block_tag tag = tag_of(context, at);
  const bool is_here = tag == block_tag::read_write ||
                       (tag == block_tag::read_only && about == early_message::invalidate);
  if (is_here) return false;
  const word_t faults = context.load(places_.faults(at.block));
  context.store(places_.faults(at.block),
                faults_word::early.put(faults, static_cast<word_t>(about)));
  return true;
}

void stache_protocol::invalidate(handler_context& context) {
  context.spend(costs_.invalidate);
  const place at = copy_place(context, context.arrived().address);
  if (!is_on_its_way(context, at, early_message::invalidate)) lose(context, at);
}

void stache_protocol::lose(handler_context& context, const place& at) const {
  set_tag(context, at, block_tag::invalid);
  send(context, context.addresses().node_of(at.address), message_type::invalidated, at);
}

void stache_protocol::recall(handler_context& context) {
  const message arrived = context.arrived();
  const bool to_read = arrived.type == static_cast<std::uint8_t>(message_type::recall_to_read);
  context.spend(costs_.recall);
  const place at = copy_place(context, arrived.address);
  const early_message about =
      to_read ? early_message::recall_to_read : early_message::recall_to_write;
  if (is_on_its_way(context, at, about)) return;
  give_back(context, at, to_read ? want::to_read : want::to_write);
}

void stache_protocol::give_back(handler_context& context, const place& at, want wanted) const {
  // Nobody may write while the block is read.
  set_tag(context, at, wanted == want::to_read ? block_tag::read_only : block_tag::invalid);
  send(context, context.addresses().node_of(at.address), message_type::returned, at);
}

// --- the home ------------------------------------------------------------------------------------

void stache_protocol::serve(handler_context& context) {
  const message arrived = context.arrived();
  const bool to_read = arrived.type == static_cast<std::uint8_t>(message_type::get_to_read);
  context.spend(costs_.serve);
  ask(context, home_place(context, arrived.address), to_read ? want::to_read : want::to_write,
      index(arrived.source));
}

void stache_protocol::ask(handler_context& context, const place& at, want wanted,
                          std::uint32_t asker) const {
  const word_t known = context.load(places_.directory(at.block));
  if (directory_word::asker.in(known) == 0) {
    try_grant(context, at, wanted, asker);
    return;
  }
  const word_t turns = context.load(places_.turns(at.block));
  const bit_field& waiting = wanted == want::to_read ? turns_word::to_read : turns_word::to_write;
  context.store(places_.turns(at.block), waiting.put(turns, waiting.in(turns) | bit(asker)));
}

bool stache_protocol::try_grant(handler_context& context, const place& at, want wanted,
                                std::uint32_t asker) const {
  word_t known = context.load(places_.directory(at.block));
  const std::uint64_t owner = directory_word::owner.in(known);
  const std::uint64_t others = directory_word::sharers.in(known) & ~bit(asker);
  if (owner == 0 && (wanted == want::to_read || others == 0)) {
    grant(context, at, wanted, asker);
    return true;
  }
  known = directory_word::asker.put(known, asker + 1);
  known = directory_word::writes.put(known, wanted == want::to_write ? 1 : 0);
  std::uint64_t acks = 0;
  if (owner == 0) for_each_bit(others, [&](std::uint32_t) { ++acks; });
  context.store(places_.directory(at.block), directory_word::acks.put(known, acks));
  if (owner != 0) {
    const node_id has{static_cast<std::uint32_t>(owner - 1)};
    send(context, has,
         wanted == want::to_read ? message_type::recall_to_read : message_type::recall_to_write,
         at);
  } else {
    send(context, others, message_type::invalidate, at);
  }
  return false;
}

void stache_protocol::grant(handler_context& context, const place& at, want wanted,
                            std::uint32_t asker) const {
  const bool own = asker == index(context.here());
  word_t known = context.load(places_.directory(at.block));
  known = directory_word::asker.put(known, 0);
  std::uint64_t sharers = directory_word::sharers.in(known);
  if (wanted == want::to_read) {
    if (!own) sharers |= bit(asker);
    set_tag(context, at, sharers == 0 ? block_tag::read_write : block_tag::read_only);
    known = directory_word::sharers.put(known, sharers);
  } else {
    known = directory_word::sharers.put(known, 0);
    known = directory_word::owner.put(known, own ? 0 : asker + 1);
    set_tag(context, at, own ? block_tag::read_write : block_tag::invalid);
  }
  context.store(places_.directory(at.block), known);
  if (own) {
    wake_waiting(context, at);
  } else {
    send(context, node_id{asker},
         wanted == want::to_read ? message_type::given_to_read : message_type::given_to_write, at);
  }
}

void stache_protocol::invalidated(handler_context& context) {
  context.spend(costs_.invalidated);
  const place at = home_place(context, context.arrived().address);
  word_t known = context.load(places_.directory(at.block));
  known = directory_word::acks.put(known, directory_word::acks.in(known)-1);
  const std::uint64_t from = index(context.arrived().source);
  known = directory_word::sharers.put(known, directory_word::sharers.in(known) & ~bit(from));
  context.store(places_.directory(at.block), known);
  if (directory_word::acks.in(known) == 0) end_wait(context, at);
}

void stache_protocol::returned(handler_context& context) {
  const message arrived = context.arrived();
  context.spend(costs_.returned);
  const place at = home_place(context, arrived.address);
  context.spill(arrived.data, offset_of(at));
  context.settle();  // who is let in finds it there
  word_t known = context.load(places_.directory(at.block));
  known = directory_word::owner.put(known, 0);
  const bool reads = directory_word::writes.in(known) == 0;
  known = directory_word::sharers.put(known, reads ? bit(index(arrived.source)) : 0);
  context.store(places_.directory(at.block), known);
  end_wait(context, at);
}

void stache_protocol::end_wait(handler_context& context, const place& at) const {
  const word_t known = context.load(places_.directory(at.block));
  const auto asker = static_cast<std::uint32_t>(directory_word::asker.in(known)-1);
  grant(context, at, directory_word::writes.in(known) != 0 ? want::to_write : want::to_read, asker);
  take_turns(context, at, asker);
}

/// The nodes that wait come in turn, the one behind the last first.
void stache_protocol::take_turns(handler_context& context, const place& at,
                                 std::uint32_t behind) const {
  for (std::uint64_t i = 1; i <= places_.nodes; ++i) {
    const auto node = static_cast<std::uint32_t>((behind + i) % places_.nodes);
    word_t turns = context.load(places_.turns(at.block));
    const bool reads = (turns_word::to_read.in(turns) >> node & 1) != 0;
    const bool writes = (turns_word::to_write.in(turns) >> node & 1) != 0;
    if (!reads && !writes) continue;
    const bit_field& waiting = reads ? turns_word::to_read : turns_word::to_write;
    context.store(places_.turns(at.block), waiting.put(turns, waiting.in(turns) & ~bit(node)));
    if (!try_grant(context, at, reads ? want::to_read : want::to_write, node)) return;
  }
}

}  // namespace tributary
