// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/virtual_interfaces/virtual_interfaces.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/firmware_spaces.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

// Of the protocol's storage: the record of the handler that is put off, the send that it is at, and
// counters.
constexpr std::uint64_t queue_field = 64;
constexpr std::uint64_t slot_field = 72;
constexpr std::uint64_t address_field = 80;
constexpr std::uint64_t length_field = 88;
constexpr std::uint64_t handle_field = 96;
constexpr std::uint64_t done_field = 104;
constexpr std::uint64_t completions_field = 112;
constexpr std::uint64_t hits_field = 120;
constexpr std::uint64_t misses_field = 128;
constexpr std::uint64_t dropped_field = 136;
constexpr std::uint64_t refused_field = 144;
constexpr std::uint64_t records_at = 256;

enum class place : std::uint16_t { posted, step, packet };

/// Of `queue_record::receiving`: a message is coming, and whether it is dropped.
constexpr word_t is_coming = 1;
constexpr word_t is_dropped = 2;

/// A value of a doorbell.
constexpr word_t slot_mask = descriptor_form::slots - 1;
constexpr word_t receive_flag = 0x100;
/// Bytes of a half of a queue's statuses, and of its descriptors elsewhere than in its page.
constexpr std::uint64_t half_of_statuses = word_bytes * descriptor_form::slots;
constexpr std::uint64_t half_of_descriptors = descriptor_form::bytes * descriptor_form::slots;

constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  return (bytes + most_line_bytes - 1) / most_line_bytes * most_line_bytes;
}

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// 4 bytes of a doubleword.
word_t half_word(word_t word, std::uint64_t number) {
  return word >> (32 * (number % 2)) & 0xffffffff;
}

}  // namespace

void virtual_interfaces_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("post", post, "A doorbell that was found (assumed).");
  add("check", check, "A descriptor's check (assumed).");
  add("lookup", lookup, "The translation of a page (assumed).");
  add("transmit", transmit, "A packet that is sent, without its bytes (assumed).");
  add("receive", receive, "A packet that comes, without its bytes (assumed).");
  add("complete", complete, "The end of a descriptor (assumed).");
}

void virtual_interfaces_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice(
      "translation", translation,
      {{"host", translation_kind::host},
       {"table", translation_kind::table},
       {"cached", translation_kind::cached}},
      "host: the kernel translates what is posted through it; table: the firmware "
      "has the whole table; cached: the table is in the host's memory.");
  parameters.add_choice(
      "descriptors", descriptors,
      {{"written", descriptor_kind::written}, {"fetched", descriptor_kind::fetched}},
      "written: by the host into the interface; fetched: by DMA from the host's memory.");
  parameters.add_choice(
      "completions", completions,
      {{"entries", completion_kind::entries}, {"polled", completion_kind::polled}},
      "entries: of a completion queue, beside the status; polled: the status only.");
  parameters.add("queues", queues, u32{1, 256}, "queues", "Virtual interfaces.");
  parameters.add("regions", regions, u32{1, 4096}, "regions", "Of memory that may be registered.");
  parameters.add("table_entries", table_entries, u32{1, 1U << 20}, "pages",
                 "That may be registered.");
  parameters.add("cache_entries", cache_entries, u32{1, 65536}, "entries",
                 "Of the cache of translations: a power of two.");
  parameters.add("cache_ways", cache_ways, u32{1, 16}, "ways", "Of each of its sets.");
  parameters.add("longest", longest, u32{8, 1U << 24}, "bytes", "Of a message.");
  parameters.add("completion_entries", completion_entries, u32{1, 65536}, "entries",
                 "Of the completion queue.");
}

void virtual_interfaces_config::validate() const {
  check_ranges(*this);
  if (!is_power_of_two(cache_entries) || !is_power_of_two(cache_ways) ||
      cache_ways > cache_entries) {
    throw configuration_error({"cache_entries", "",
                               fmt::format("{} entries of {} ways", cache_entries, cache_ways),
                               "powers of two, and no more ways than entries", "round them"});
  }
  if (translation == translation_kind::host && descriptors == descriptor_kind::fetched) {
    throw configuration_error(
        {"descriptors", "", "fetched from where a process writes them, with translation = host",
         "written: only the kernel may write translated addresses", "choose another of the two"});
  }
}

virtual_interfaces_protocol::virtual_interfaces_protocol(const virtual_interfaces_config& config,
                                                         const virtual_interfaces_costs& costs)
    : config_((config.validate(), config)), costs_(costs) {}

std::vector<dispatch_rule> virtual_interfaces_protocol::rules() const {
  dispatch_rule commanded;
  commanded.type = static_cast<std::uint8_t>(common_type::uncached_write);
  commanded.origin = message_origin::processor;
  commanded.where = locality::local;
  commanded.run = handler_id{static_cast<std::uint16_t>(place::posted)};
  commanded.space = doorbell_space;
  dispatch_rule came;
  came.origin = message_origin::network;
  came.where = locality::local;
  came.run = handler_id{static_cast<std::uint16_t>(place::packet)};
  came.type = static_cast<std::uint8_t>(message_type::packet);
  dispatch_rule last = came;
  last.type = static_cast<std::uint8_t>(message_type::last_packet);
  return {commanded, came, last};
}

std::vector<handler> virtual_interfaces_protocol::handlers() {
  return handlers_from<virtual_interfaces_protocol>(
      *this, {{"posted", &virtual_interfaces_protocol::posted},
              {"step", &virtual_interfaces_protocol::step},
              {"packet", &virtual_interfaces_protocol::packet}});
}

std::vector<message_name> virtual_interfaces_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::packet), "queue_packet"},
          {static_cast<std::uint8_t>(message_type::last_packet), "queue_last_packet"}};
}

// --- where things are ----------------------------------------------------------------------------

virtual_interfaces_places virtual_interfaces_protocol::places() const {
  virtual_interfaces_places found;
  const std::uint64_t base = storage_.address;
  found.queues = base + records_at;
  // Behind the records, of each queue the slots of receives that were posted.
  const std::uint64_t rings =
      config_.queues * (queue_record::bytes + word_bytes * descriptor_form::slots);
  found.regions = found.queues + rings;
  found.table = found.regions + config_.regions * region_record::bytes;
  const bool in_table = config_.translation == translation_kind::table;
  const std::uint64_t table = in_table ? (std::uint64_t{config_.table_entries} + 1) / 2 * 8 : 0;
  found.descriptors = found.table + table;
  found.hits = base + hits_field;
  found.misses = base + misses_field;
  found.dropped = base + dropped_field;
  found.refused = base + refused_field;
  return found;
}

translation_cache_place virtual_interfaces_protocol::cache() const {
  translation_cache_place kept;
  kept.entries = config_.cache_entries;
  kept.ways = config_.cache_ways;
  const bool by_kernel = config_.translation == translation_kind::host;
  kept.address = places().descriptors + (by_kernel ? 2 * half_of_descriptors * config_.queues : 0);
  return kept;
}

std::uint64_t virtual_interfaces_protocol::storage_bytes() const {
  const bool caches = config_.translation == translation_kind::cached;
  return whole_lines(cache().address - storage_.address + (caches ? cache().bytes() : 0));
}

void virtual_interfaces_protocol::initialize(const protocol_storage& where, word_memory&) {
  storage_ = where;
}

// --- descriptors ---------------------------------------------------------------------------------

virtual_interfaces_protocol::request virtual_interfaces_protocol::read(handler_context& context,
                                                                       std::uint64_t queue,
                                                                       word_t slot, bool receives) {
  std::uint64_t at = slot * descriptor_form::bytes;
  if (config_.descriptors == descriptor_kind::fetched) {
    at += get(context, queue_at(queue) + queue_record::descriptors) +
          (receives ? half_of_descriptors : 0);
    return fetch(context, at);
  }
  if (config_.translation == translation_kind::host) {
    at += places().descriptors + (2 * queue + (receives ? 1 : 0)) * half_of_descriptors;
  } else {
    at += config_.pages_at + queue * doorbell_page + (receives ? receive_doorbell : send_doorbell) +
          descriptor_form::first;
  }
  return request_of(get(context, at), get(context, at + word_bytes));
}

virtual_interfaces_protocol::request virtual_interfaces_protocol::request_of(word_t first,
                                                                             word_t second) {
  return {descriptor_form::address.in(first), descriptor_form::length.in(second),
          descriptor_form::handle.in(second)};
}

/// By one transfer into a staging buffer; word by word if there is none.
virtual_interfaces_protocol::request virtual_interfaces_protocol::fetch(handler_context& context,
                                                                        std::uint64_t host) {
  const std::optional<payload_handle> buffer = context.allocate();
  if (!buffer) {
    const std::uint64_t at = context.addresses().address_of(context.here(), host_space, host);
    const word_t first = context.load(at);
    return request_of(first, context.load(at + word_bytes));
  }
  begin_dma(context, host, descriptor_form::bytes, static_cast<word_t>(*buffer));
  context.settle();
  const request found = request_of(context.word(*buffer, 0), context.word(*buffer, 1));
  context.release(*buffer);
  return found;
}

void virtual_interfaces_protocol::begin_dma(handler_context& context, std::uint64_t host,
                                            std::uint64_t bytes, word_t command) {
  const std::uint64_t registers = context.addresses().address_of(context.here(), dma_space, 0);
  context.store(registers + dma_registers::host_offset, host);
  context.store(registers + dma_registers::bytes, bytes);
  context.store(registers + dma_registers::go, command);
}

descriptor_status virtual_interfaces_protocol::check(handler_context& context, std::uint64_t queue,
                                                     const request& asked) {
  context.spend(costs_.check);
  const bool whole = asked.address % word_bytes == 0 && asked.length % word_bytes == 0;
  if (!whole || asked.length == 0 || asked.length > config_.longest) {
    return descriptor_status::bad_form;
  }
  // The kernel has checked what it posted.
  if (config_.translation == translation_kind::host) return descriptor_status::done;
  return check_region(context, queue, asked);
}

/// All of it, so that nothing has moved when a page is missing.
descriptor_status virtual_interfaces_protocol::check_region(handler_context& context,
                                                            std::uint64_t queue,
                                                            const request& asked) {
  if (asked.handle >= config_.regions) return descriptor_status::foreign_memory;
  const word_t region = get(context, places().regions + asked.handle * region_record::bytes);
  const word_t owner = get(context, queue_at(queue) + queue_record::owner);
  const std::uint64_t bytes = region_record::pages.in(region)*virtual_interfaces_config::page_bytes;
  const bool is_own = region_record::valid.in(region) == 1 &&
                      region_record::process.in(region) == region_record::process.in(owner);
  if (!is_own || asked.length > bytes || asked.address > bytes - asked.length) {
    return descriptor_status::foreign_memory;
  }
  return descriptor_status::done;
}

// --- translation ---------------------------------------------------------------------------------

word_t virtual_interfaces_protocol::table_word(handler_context& context, std::uint64_t entry) {
  return half_word(get(context, places().table + entry / 2 * word_bytes), entry);
}

word_t virtual_interfaces_protocol::cached_word(handler_context& context, std::uint64_t entry) {
  translation_cache_place place = cache();
  place.address = own(context, place.address);
  translation_cache<handler_context> kept(context, place);
  if (const std::optional<word_t> found = kept.find(entry + 1)) {
    count(context, hits_field + storage_.address);
    return *found;
  }
  count(context, misses_field + storage_.address);
  const word_t word =
      half_word(context.load(context.addresses().address_of(
                    context.here(), host_space, config_.host_table_at + entry / 2 * word_bytes)),
                entry);
  kept.fill(entry + 1, word);
  return word;
}

/// The host's offset of a byte of a request that was checked.
std::uint64_t virtual_interfaces_protocol::translate(handler_context& context, const request& asked,
                                                     std::uint64_t offset) {
  const std::uint64_t address = asked.address + offset;
  if (config_.translation == translation_kind::host) return address;
  context.spend(costs_.lookup);
  constexpr std::uint64_t page = virtual_interfaces_config::page_bytes;
  const std::uint64_t entry = get(context, places().regions + asked.handle * region_record::bytes +
                                               region_record::first_entry) +
                              address / page;
  const word_t frame = config_.translation == translation_kind::table ? table_word(context, entry)
                                                                      : cached_word(context, entry);
  return frame * page + address % page;
}

/// Page by page.
void virtual_interfaces_protocol::move(handler_context& context, const request& asked,
                                       std::uint64_t offset, std::uint64_t bytes,
                                       payload_handle data, bool to_host) {
  constexpr std::uint64_t page = virtual_interfaces_config::page_bytes;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t left_in_page = page - (asked.address + offset + done) % page;
    const std::uint64_t piece = std::min(bytes - done, left_in_page);
    const std::uint64_t host = translate(context, asked, offset + done);
    begin_dma(context, host, piece,
              static_cast<word_t>(data) | done / word_bytes << 16 | word_t{to_host} << 32);
    if (!to_host) context.settle();
    done += piece;
  }
}

// --- sending -------------------------------------------------------------------------------------

void virtual_interfaces_protocol::posted(handler_context& context) {
  const std::uint64_t offset = context.addresses().offset_of(context.arrived().address);
  const std::uint64_t queue = offset / doorbell_page;
  const std::uint64_t place = offset % doorbell_page;
  const word_t value = context.word(context.arrived().data, 0);
  context.spend(costs_.post);
  const bool is_translated = config_.translation == translation_kind::host;
  if (!is_open(context, queue) || (is_translated && place != central_doorbell)) {
    count(context, places().refused);
    return;
  }
  if (place == receive_doorbell || (value & receive_flag) != 0) {
    post_receive(context, queue, value & slot_mask);
  } else {
    post_send(context, queue, value & slot_mask);
  }
}

bool virtual_interfaces_protocol::is_open(handler_context& context, std::uint64_t queue) const {
  return queue < config_.queues &&
         (get(context, queue_at(queue) + queue_record::owner) & queue_record::flag) != 0;
}

void virtual_interfaces_protocol::post_send(handler_context& context, std::uint64_t queue,
                                            word_t slot) {
  const request asked = read(context, queue, slot, false);
  descriptor_status status = check(context, queue, asked);
  const word_t peer = get(context, queue_at(queue) + queue_record::peer);
  if (status == descriptor_status::done && (peer & queue_record::flag) == 0) {
    status = descriptor_status::not_connected;
  }
  if (status != descriptor_status::done) {
    end_send(context, queue, slot, 0, status);
    return;
  }
  const std::uint64_t base = storage_.address;
  put(context, base + queue_field, queue);
  put(context, base + slot_field, slot);
  put(context, base + address_field, asked.address);
  put(context, base + length_field, asked.length);
  put(context, base + handle_field, asked.handle);
  put(context, base + done_field, 0);
  const auto first = static_cast<std::uint16_t>(storage_.first_handler);
  const auto step = static_cast<std::uint16_t>(place::step);
  context.later(own(context, base), handler_id{static_cast<std::uint16_t>(first + step)},
                context.arrived());
}

/// One packet of the send that was begun; no other send begins before it has ended.
void virtual_interfaces_protocol::step(handler_context& context) {
  const std::optional<payload_handle> data = context.allocate();
  if (!data) {
    context.spend(1);
    context.again();
    return;
  }
  const std::uint64_t base = storage_.address;
  const std::uint64_t queue = get(context, base + queue_field);
  const request asked{get(context, base + address_field), get(context, base + length_field),
                      get(context, base + handle_field)};
  const std::uint64_t done = get(context, base + done_field);
  const std::uint64_t bytes = std::min<std::uint64_t>(config_.packet_bytes, asked.length - done);
  move(context, asked, done, bytes, *data, false);
  context.spend(costs_.transmit);
  send_packet(context, queue, asked, done, *data);
  put(context, base + done_field, done + bytes);
  if (done + bytes < asked.length) {
    context.again();
    return;
  }
  end_send(context, queue, get(context, base + slot_field), asked.length, descriptor_status::done);
  context.done();
}

void virtual_interfaces_protocol::send_packet(handler_context& context, std::uint64_t queue,
                                              const request& asked, std::uint64_t done,
                                              payload_handle data) {
  const word_t peer = get(context, queue_at(queue) + queue_record::peer);
  const node_id to{static_cast<std::uint32_t>(peer >> 16 & 0xffff)};
  const std::uint64_t bytes = std::min<std::uint64_t>(config_.packet_bytes, asked.length - done);
  const auto type = done + bytes == asked.length ? message_type::last_packet : message_type::packet;
  message sent = message_to(to, type, message_lane::request,
                            context.addresses().address_of(to, 0, done), peer & 0xffff);
  sent.length = static_cast<std::uint32_t>(bytes);
  sent.data = data;
  context.send(sent);
}

void virtual_interfaces_protocol::end_send(handler_context& context, std::uint64_t queue,
                                           word_t slot, std::uint64_t length,
                                           descriptor_status status) {
  if (status != descriptor_status::done) count(context, places().refused);
  const std::uint64_t counted = queue_at(queue) + queue_record::sent;
  const word_t number = get(context, counted);
  put(context, counted, number + 1);
  word_t word = status_form::status.put(0, static_cast<std::uint64_t>(status));
  word = status_form::length.put(word, length);
  word = status_form::slot.put(word, slot);
  complete(context, queue, false, number, status_form::is_there.put(word, 1));
}

// --- receiving -----------------------------------------------------------------------------------

/// Receives beyond the places there are for them are dropped.
void virtual_interfaces_protocol::post_receive(handler_context& context, std::uint64_t queue,
                                               word_t slot) {
  const std::uint64_t record = queue_at(queue);
  const word_t posted = get(context, record + queue_record::posted);
  if (posted - get(context, record + queue_record::taken) >= descriptor_form::slots) {
    count(context, places().refused);
    return;
  }
  const std::uint64_t ring = queue_at(config_.queues) + queue * word_bytes * descriptor_form::slots;
  put(context, ring + posted % descriptor_form::slots * word_bytes, slot);
  put(context, record + queue_record::posted, posted + 1);
}

/// A message without a receive is dropped as a whole.
void virtual_interfaces_protocol::packet(handler_context& context) {
  const message& came = context.arrived();
  const std::uint64_t queue = came.aux;
  const bool is_last = came.type == static_cast<std::uint8_t>(message_type::last_packet);
  context.spend(costs_.receive);
  if (!is_open(context, queue)) {
    count(context, places().dropped);
    return;
  }
  const std::uint64_t record = queue_at(queue);
  word_t coming = get(context, record + queue_record::receiving);
  if (context.addresses().offset_of(came.address) == 0) {
    const bool has_receive =
        get(context, record + queue_record::posted) != get(context, record + queue_record::taken);
    coming = has_receive ? is_coming : is_coming | is_dropped;
  }
  if ((coming & is_dropped) == 0 && coming != 0) {
    take_packet(context, queue, coming);
    return;
  }
  count(context, places().dropped);
  put(context, record + queue_record::receiving, is_last ? 0 : coming);
}

/// What went wrong with an earlier packet of a message goes for all of it.
void virtual_interfaces_protocol::take_packet(handler_context& context, std::uint64_t queue,
                                              word_t coming) {
  const std::uint64_t record = queue_at(queue);
  const word_t taken = get(context, record + queue_record::taken);
  const std::uint64_t ring = queue_at(config_.queues) + queue * word_bytes * descriptor_form::slots;
  const word_t slot = get(context, ring + taken % descriptor_form::slots * word_bytes);
  auto status = static_cast<descriptor_status>(coming >> 8);
  if (status == descriptor_status::none || status == descriptor_status::done) {
    status = receive(context, queue, slot);
  }
  if (context.arrived().type == static_cast<std::uint8_t>(message_type::last_packet)) {
    end_receive(context, queue, slot, status);
    return;
  }
  put(context, record + queue_record::receiving, is_coming | static_cast<word_t>(status) << 8);
}

void virtual_interfaces_protocol::end_receive(handler_context& context, std::uint64_t queue,
                                              word_t slot, descriptor_status status) {
  const std::uint64_t record = queue_at(queue);
  const word_t taken = get(context, record + queue_record::taken);
  put(context, record + queue_record::receiving, 0);
  context.settle();
  put(context, record + queue_record::taken, taken + 1);
  const message& came = context.arrived();
  const std::uint64_t length = context.addresses().offset_of(came.address) + came.length;
  word_t word = status_form::status.put(0, static_cast<std::uint64_t>(status));
  word = status_form::length.put(word, status == descriptor_status::done ? length : 0);
  word = status_form::slot.put(word, slot);
  complete(context, queue, true, taken, status_form::is_there.put(word, 1));
}

/// The packet that came goes where the descriptor says, which is read and checked for each.
descriptor_status virtual_interfaces_protocol::receive(handler_context& context,
                                                       std::uint64_t queue, word_t slot) {
  const message& came = context.arrived();
  const std::uint64_t offset = context.addresses().offset_of(came.address);
  const request asked = read(context, queue, slot, true);
  const descriptor_status status = check(context, queue, asked);
  if (status != descriptor_status::done) {
    count(context, places().refused);
    return status;
  }
  if (offset + came.length > asked.length) return descriptor_status::too_short;
  move(context, asked, offset, came.length, came.data, true);
  return status;
}

// --- the end -------------------------------------------------------------------------------------

void virtual_interfaces_protocol::complete(handler_context& context, std::uint64_t queue,
                                           bool receives, word_t number, word_t status) {
  context.spend(costs_.complete);
  const std::uint64_t statuses = get(context, queue_at(queue) + queue_record::statuses);
  context.store(context.addresses().address_of(context.here(), host_space,
                                               statuses + (receives ? half_of_statuses : 0) +
                                                   number % descriptor_form::slots * word_bytes),
                status);
  if (config_.completions == completion_kind::entries) enter_completion(context, queue, receives);
}

void virtual_interfaces_protocol::enter_completion(handler_context& context, std::uint64_t queue,
                                                   bool receives) {
  const std::uint64_t counted = storage_.address + completions_field;
  const word_t number = get(context, counted);
  const word_t read = get(context, config_.pages_at + read_place);
  if (number - read >= config_.completion_entries) {
    throw simulation_error(fmt::format(
        "completion queue: its {} entries are full, of {} that were written the host has read {}; "
        "read it, tell so, or raise completion_entries",
        config_.completion_entries, number, read));
  }
  put(context, counted, number + 1);
  word_t word = completion_form::queue.put(0, queue);
  word = completion_form::is_receive.put(word, receives ? 1 : 0);
  context.store(context.addresses().address_of(
                    context.here(), host_space,
                    config_.completions_at + number % config_.completion_entries * word_bytes),
                completion_form::is_there.put(word, 1));
}

}  // namespace tributary
