// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/requests/fetch_block.h>

#include <fmt/format.h>

#include <tributary/protocols/requests/request_rules.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

// Of a request.
constexpr word_t nothing_under_way = 0;
constexpr word_t under_way = 1;

}  // namespace

std::vector<dispatch_rule> fetch_block_protocol::rules() const {
  return request_rules(space_, message_type::request, message_type::reply);
}

std::vector<message_name> fetch_block_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::request), "fetch_request"},
          {static_cast<std::uint8_t>(message_type::reply), "fetch_reply"}};
}

std::vector<handler> fetch_block_protocol::handlers() {
  using self = fetch_block_protocol;
  static constexpr named_body<self> bodies[] = {
      {"request", &self::request}, {"serve", &self::serve}, {"reply", &self::reply}};
  return handlers_from(*this, bodies);
}

// --- storage: entries of blocks, then entries of requests ----------------------------------------

std::uint64_t fetch_block_protocol::storage_bytes() const {
  return (blocks_ + processors_) * word_bytes;
}

void fetch_block_protocol::initialize(const protocol_storage& where, word_memory&) {
  const std::uint64_t end = (blocks_ + processors_) * where.line.bytes();
  if (end > where.address) {
    throw configuration_error(
        {"memory.bytes", "",
         fmt::format("{} blocks and a place for each of {} processors end at {}", blocks_,
                     processors_, end),
         fmt::format("at most {}, where the protocol's memory begins", where.address),
         "raise it, or fetch fewer blocks"});
  }
  storage_ = where;
}

std::uint64_t fetch_block_protocol::block_entry(std::uint64_t offset) const {
  const std::uint64_t block = storage_.line.number(offset);
  if (block >= blocks_) {
    throw simulation_error(fmt::format(
        "block {} is fetched, and a node has {} that can be; raise the segment or ask for less",
        block, blocks_));
  }
  return storage_.address + block * word_bytes;
}

std::uint64_t fetch_block_protocol::request_entry(std::uint64_t processor) const {
  return storage_.address + (blocks_ + processor) * word_bytes;
}

std::uint64_t fetch_block_protocol::place_of(std::uint32_t processor) const {
  return (blocks_ + processor) * storage_.line.bytes();
}

word_t fetch_block_protocol::times_sent(const word_memory& memory, std::uint64_t offset) const {
  return memory.read(block_entry(offset));
}

// --- handlers ------------------------------------------------------------------------------------

void fetch_block_protocol::request(handler_context& context) {
  const std::uint64_t address = context.arrived().address;
  const std::uint8_t tag = context.keep_read();
  if (context.load(request_entry(tag)) != nothing_under_way) {
    throw simulation_error(fmt::format("processor {} fetches a block while one is under way", tag));
  }
  context.store(request_entry(tag), under_way);
  context.spend(costs_.request);
  context.send(message_to(context.addresses().node_of(address), message_type::request,
                          message_lane::request, address, tag));
}

void fetch_block_protocol::serve(handler_context& context) {
  const message arrived = context.arrived();
  const std::uint64_t offset = context.addresses().offset_of(arrived.address);
  const std::uint64_t entry = block_entry(offset);
  context.store(entry, context.load(entry) + 1);
  message reply = message_to(arrived.source, message_type::reply, message_lane::reply,
                             arrived.address, arrived.aux);
  reply.data = *context.allocate();
  reply.length = storage_.line.bytes();
  context.fill(reply.data, storage_.line.start(offset));
  context.spend(costs_.serve);
  context.send(reply);
}

void fetch_block_protocol::reply(handler_context& context) {
  const message arrived = context.arrived();
  const auto tag = static_cast<std::uint8_t>(arrived.aux);
  context.store(request_entry(tag), nothing_under_way);
  context.spill(arrived.data, place_of(tag));
  context.spend(costs_.reply);
  context.answer(tag, context.word(arrived.data, storage_.line.word(arrived.address)));
}

}  // namespace tributary
