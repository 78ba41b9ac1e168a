// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/uncached.h>

#include <tributary/controller/cost_table.h>

namespace tributary {
namespace {

constexpr std::uint8_t normal_space = 0;

// Storage: a count of stores, then a record for each access that the processor may have
// outstanding, by its tag.
constexpr std::uint64_t first_record = 64;
constexpr std::uint64_t record_bytes = 64;
constexpr std::uint64_t tags = 8;

/// The line is read before the handler runs, if a buffer is free. Handlers that store therefore
/// spill first: what runs now has spilt before the next handler's line is read. To wait for a
/// buffer instead would be a deadlock: those behind in the queue may have them all.
constexpr speculation read_if_possible = speculation::read_line;

}  // namespace

enum class uncached_protocol::place : std::uint16_t {
  load,
  load_again,
  remote_load,
  remote_load_again,
  home_load,
  load_reply,
  load_refused,
  store,
  remote_store,
  home_store,
  store_done
};

void uncached_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("load", load, "Reading memory, for this node or another (not published).");
  add("store", store, "Writing memory, for this node or another (not published).");
  add("forward", forward, "Passing an access on to its home (not published).");
  add("reply", reply, "Taking what the home answers (not published).");
  add("again", again, "A load that finds no buffer (not published).");
}

std::vector<dispatch_rule> uncached_protocol::rules() const {
  std::vector<dispatch_rule> all;
  const auto add = [&all](auto type, message_origin origin, locality where, place run,
                          std::optional<std::uint8_t> space) -> dispatch_rule& {
    all.push_back({static_cast<std::uint8_t>(type), origin, where,
                   handler_id{static_cast<std::uint16_t>(run)}, space});
    return all.back();
  };
  const auto access = [&add](common_type type, locality where, place run) -> dispatch_rule& {
    return add(type, message_origin::processor, where, run, normal_space);
  };
  access(common_type::uncached_read, locality::local, place::load).ahead = read_if_possible;
  access(common_type::uncached_read, locality::remote, place::remote_load);
  access(common_type::uncached_write, locality::local, place::store);
  access(common_type::uncached_write, locality::remote, place::remote_store);
  const auto received = [&add](message_type type, place run) -> dispatch_rule& {
    return add(type, message_origin::network, locality::any, run, std::nullopt);
  };
  received(message_type::load_request, place::home_load).ahead = read_if_possible;
  received(message_type::load_reply, place::load_reply);
  received(message_type::load_refused, place::load_refused);
  received(message_type::store_request, place::home_store);
  received(message_type::store_done, place::store_done);
  return all;
}

std::vector<message_name> uncached_protocol::message_names() const {
  const auto named = [](message_type type, const char* name) {
    return message_name{static_cast<std::uint8_t>(type), name};
  };
  return {named(message_type::load_request, "load_request"),
          named(message_type::load_reply, "load_reply"),
          named(message_type::load_refused, "load_refused"),
          named(message_type::store_request, "store_request"),
          named(message_type::store_done, "store_done")};
}

std::vector<handler> uncached_protocol::handlers() {
  using self = uncached_protocol;
  // In the order of `place`.
  static constexpr named_body<self> bodies[] = {
      {"load", &self::load},
      {"load_again", &self::load_again},
      {"remote_load", &self::remote_load},
      {"remote_load_again", &self::remote_load_again},
      {"home_load", &self::home_load},
      {"load_reply", &self::load_reply},
      {"load_refused", &self::load_refused},
      {"store", &self::store},
      {"remote_store", &self::remote_store},
      {"home_store", &self::home_store},
      {"store_done", &self::store_done},
  };
  return handlers_from(*this, bodies);
}

std::uint64_t uncached_protocol::storage_bytes() const {
  return first_record + tags * record_bytes;
}

void uncached_protocol::initialize(const protocol_storage& where, word_memory&) {
  storage_ = where;
}

word_t uncached_protocol::stores_under_way(const word_memory& memory) const {
  return memory.read(storage_.address);
}

void uncached_protocol::count_stores(handler_context& context, word_t more) const {
  context.store(storage_.address, context.load(storage_.address) + more);
}

void uncached_protocol::defer(handler_context& context, std::uint64_t tag, place run) const {
  message with;
  with.address = context.arrived().address;
  with.aux = static_cast<std::uint16_t>(tag);
  const auto number = static_cast<std::uint16_t>(
      static_cast<std::uint16_t>(storage_.first_handler) + static_cast<std::uint16_t>(run));
  context.later(storage_.address + first_record + tag * record_bytes, handler_id{number}, with);
}

/// The addressed line in a buffer, unless there is none.
bool uncached_protocol::get_line(handler_context& context, payload_handle& line) const {
  if (context.arrived().data != no_payload) {
    line = context.arrived().data;
    return true;
  }
  const auto data = context.allocate();
  if (!data) return false;
  line = *data;
  context.fill(line, context.arrived().address);
  return true;
}

void uncached_protocol::load(handler_context& context) {
  payload_handle line = no_payload;
  if (!get_line(context, line)) {
    context.spend(costs_.again);
    defer(context, context.keep_read(), place::load_again);
    return;
  }
  context.spend(costs_.load);
  context.answer(context.word(line, storage_.line.word(context.arrived().address)));
  if (line != context.arrived().data) context.release(line);
}

void uncached_protocol::load_again(handler_context& context) {
  payload_handle line = no_payload;
  if (!get_line(context, line)) {
    context.spend(costs_.again);
    context.again();
    return;
  }
  context.spend(costs_.load);
  context.answer(static_cast<std::uint8_t>(context.arrived().aux),
                 context.word(line, storage_.line.word(context.arrived().address)));
  context.release(line);
  context.done();
}

void uncached_protocol::remote_load(handler_context& context) {
  const std::uint64_t address = context.arrived().address;
  context.spend(costs_.forward);
  context.send(message_to(context.addresses().node_of(address), message_type::load_request,
                          message_lane::request, address, context.keep_read()));
}

void uncached_protocol::remote_load_again(handler_context& context) {
  const std::uint64_t address = context.arrived().address;
  context.spend(costs_.forward);
  context.send(message_to(context.addresses().node_of(address), message_type::load_request,
                          message_lane::request, address, context.arrived().aux));
  context.done();
}

void uncached_protocol::home_load(handler_context& context) {
  const message& arrived = context.arrived();
  payload_handle line = no_payload;
  if (!get_line(context, line)) {
    context.spend(costs_.again);
    context.send(message_to(arrived.source, message_type::load_refused, message_lane::reply,
                            arrived.address, arrived.aux));
    return;
  }
  context.spend(costs_.load);
  context.set_word(line, 0, context.word(line, storage_.line.word(arrived.address)));
  message reply = message_to(arrived.source, message_type::load_reply, message_lane::reply,
                             arrived.address, arrived.aux);
  reply.length = word_bytes;
  reply.data = line;
  context.send(reply);
}

void uncached_protocol::load_reply(handler_context& context) {
  context.spend(costs_.reply);
  context.answer(static_cast<std::uint8_t>(context.arrived().aux),
                 context.word(context.arrived().data, 0));
}

void uncached_protocol::load_refused(handler_context& context) {
  context.spend(costs_.reply);
  defer(context, context.arrived().aux, place::remote_load_again);
}

void uncached_protocol::store(handler_context& context) {
  context.spill_word(context.arrived().data, 0, context.arrived().address);
  context.spend(costs_.store);
}

void uncached_protocol::remote_store(handler_context& context) {
  const message& arrived = context.arrived();
  context.spend(costs_.forward);
  message request =
      message_to(context.addresses().node_of(arrived.address), message_type::store_request,
                 message_lane::request, arrived.address, 0);
  request.length = word_bytes;
  request.data = arrived.data;
  count_stores(context, 1);
  context.send(request);
}

void uncached_protocol::home_store(handler_context& context) {
  const message& arrived = context.arrived();
  context.spill_word(arrived.data, 0, arrived.address);
  context.spend(costs_.store);
  context.send(message_to(arrived.source, message_type::store_done, message_lane::reply,
                          arrived.address, 0));
}

void uncached_protocol::store_done(handler_context& context) {
  context.spend(costs_.reply);
  count_stores(context, ~word_t{0});
}

}  // namespace tributary
