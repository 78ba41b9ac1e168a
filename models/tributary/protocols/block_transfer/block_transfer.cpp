// SPDX-License-Identifier: Apache-2.0
// Rules, handlers and records of the block transfer.
#include <tributary/protocols/block_transfer/block_transfer.h>

#include <tributary/protocols/block_transfer/places.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

word_t all_of(std::uint32_t records) {
  return records == block_transfer_config::most_records ? ~word_t{0} : (word_t{1} << records) - 1;
}

/// Calls `visit(field, part)` for what a record keeps of a portion.
template <class Portion, class Visit>
void for_each_part(Portion& portion, Visit&& visit) {
  namespace field = transfer_field;
  visit(field::source, portion.source);
  visit(field::source_next, portion.source_next);
  visit(field::source_split, portion.source_split);
  visit(field::destination, portion.destination);
  visit(field::destination_next, portion.destination_next);
  visit(field::destination_split, portion.destination_split);
  visit(field::lines, portion.lines);
}

}  // namespace

block_transfer_protocol::block_transfer_protocol(const block_transfer_config& config,
                                                 const block_transfer_costs& costs,
                                                 const pp_ownership_costs& ownership_costs,
                                                 line_states& lines, const kernel_calls* kernel)
    : config_(config),
      costs_(costs),
      ownership_(ownership_costs, lines),
      lines_(lines),
      kernel_(kernel) {
  config_.validate();
}

std::vector<handler> block_transfer_protocol::handlers() {
  using self = block_transfer_protocol;
  // In the order of `place`.
  static constexpr named_body<self> bodies[] = {
      {"log_argument", &self::log_argument},
      {"log_address", &self::log_address},
      {"setup", &self::setup},
      {"announce", &self::announce},
      {"envelope", &self::envelope},
      {"envelope_reply", &self::envelope_reply},
      {"envelope_refused", &self::envelope_refused},
      {"collect", &self::collect},
      {"transfer", &self::transfer},
      {"transfer_realigned", &self::transfer_realigned},
      {"retry", &self::retry},
      {"receive", &self::receive},
      {"line_refused", &self::line_refused},
      {"page_received", &self::page_received},
      {"flag_update", &self::flag_update},
      {"delegate", &self::delegate},
      {"delegated", &self::delegated},
      {"delegation_refused", &self::delegation_refused},
      {"complete", &self::complete},
      {"completed", &self::completed},
      {"forward", &self::forward},
      {"forward_refused", &self::forward_refused},
      {"line_back", &self::line_back},
      {"fetch", &self::fetch},
      {"fetched", &self::fetched},
      {"drop", &self::drop},
      {"dropped", &self::dropped},
      {"page_complete", &self::page_complete},
      {"flag_owned", &self::flag_owned},
      {"confirm_flag", &self::confirm_flag},
      {"flag_written", &self::flag_written},
      {"flag_home", &self::flag_home},
  };
  return handlers_from(*this, bodies);
}

std::vector<dispatch_rule> block_transfer_protocol::rules() const {
  std::vector<dispatch_rule> all;
  const auto add = [&all](auto type, message_origin origin, locality where, place run,
                          std::optional<std::uint8_t> space) {
    all.push_back({static_cast<std::uint8_t>(type), origin, where,
                   handler_id{static_cast<std::uint16_t>(run)}, space});
  };
  const auto command = [&add](common_type type, std::uint8_t space, locality where, place run) {
    add(type, message_origin::processor, where, run, space);
  };
  command(common_type::uncached_write, block_transfer_command::space, locality::local,
          place::log_argument);
  command(common_type::uncached_write, block_transfer_command::shadow_space, locality::any,
          place::log_address);
  command(common_type::uncached_read, block_transfer_command::space, locality::local, place::setup);
  const auto received = [&add](message_type type, place run) {
    add(type, message_origin::network, locality::any, run, std::nullopt);
  };
  received(message_type::envelope, place::envelope);
  received(message_type::envelope_reply, place::envelope_reply);
  received(message_type::envelope_refused, place::envelope_refused);
  received(message_type::line, place::receive);
  received(message_type::line_refused, place::line_refused);
  received(message_type::page_received, place::page_received);
  received(message_type::delegation, place::delegated);
  received(message_type::delegation_refused, place::delegation_refused);
  received(message_type::completion, place::completed);
  received(message_type::forward, place::forward);
  received(message_type::forward_refused, place::forward_refused);
  received(message_type::line_back, place::line_back);
  received(message_type::fetch, place::fetch);
  received(message_type::fetched, place::fetched);
  received(message_type::drop, place::drop);
  received(message_type::drop_dirty, place::drop);
  received(message_type::dropped, place::dropped);
  received(message_type::flag_written, place::flag_written);
  received(message_type::flag_home, place::flag_home);
  return all;
}

std::vector<message_name> block_transfer_protocol::message_names() const {
  const auto named = [](message_type type, const char* name) {
    return message_name{static_cast<std::uint8_t>(type), name};
  };
  return {named(message_type::envelope, "envelope"),
          named(message_type::envelope_reply, "envelope_reply"),
          named(message_type::envelope_refused, "envelope_refused"),
          named(message_type::line, "line"),
          named(message_type::line_refused, "line_refused"),
          named(message_type::page_received, "page_received"),
          named(message_type::delegation, "delegation"),
          named(message_type::delegation_refused, "delegation_refused"),
          named(message_type::completion, "completion"),
          named(message_type::forward, "forward"),
          named(message_type::forward_refused, "forward_refused"),
          named(message_type::line_back, "line_back"),
          named(message_type::fetch, "fetch"),
          named(message_type::fetched, "fetched"),
          named(message_type::drop, "drop"),
          named(message_type::drop_dirty, "drop_dirty"),
          named(message_type::dropped, "dropped"),
          named(message_type::flag_written, "flag_written"),
          named(message_type::flag_home, "flag_home")};
}

std::uint64_t block_transfer_protocol::storage_bytes() const {
  return transfer_storage::first_record + config_.state_records * transfer_record_bytes +
         config_.receive_records * receive_record_bytes;
}

void block_transfer_protocol::initialize(const protocol_storage& where, word_memory&) {
  if (where.nodes > drop_request::most_nodes) {
    throw configuration_error(configuration_problem{
        "nodes", "", std::to_string(where.nodes) + " nodes are more than a header can name",
        "up to " + std::to_string(drop_request::most_nodes) + " with the protocol block_transfer",
        "choose a smaller machine"});
  }
  storage_ = where;
}

word_t block_transfer_protocol::transfers_under_way(const word_memory& memory) const {
  return memory.read(storage_.address + transfer_storage::under_way);
}

word_t block_transfer_protocol::state_records_in_use(const word_memory& memory) const {
  return memory.read(storage_.address + transfer_storage::state_records);
}

word_t block_transfer_protocol::receive_records_in_use(const word_memory& memory) const {
  return memory.read(storage_.address + transfer_storage::receive_records);
}

transfer_record block_transfer_protocol::state_record(handler_context& context,
                                                      std::uint64_t number) const {
  return {context,
          storage_.address + transfer_storage::first_record + number * transfer_record_bytes,
          static_cast<std::uint16_t>(number)};
}

record<handler_context> block_transfer_protocol::receive_record(handler_context& context,
                                                                std::uint64_t number) const {
  return {context, storage_.address + transfer_storage::first_record +
                       config_.state_records * transfer_record_bytes +
                       number * receive_record_bytes};
}

std::optional<std::uint16_t> block_transfer_protocol::take_record(handler_context& context,
                                                                  std::uint64_t vector,
                                                                  std::uint32_t records,
                                                                  std::uint32_t spare) const {
  const word_t in_use = word_at(context, vector);
  word_t free = all_of(records) & ~in_use;
  if (static_cast<std::uint32_t>(__builtin_popcountll(free)) <= spare) return std::nullopt;
  const auto number = static_cast<std::uint16_t>(__builtin_ctzll(free));
  set_word_at(context, vector, in_use | word_t{1} << number);
  return number;
}

void block_transfer_protocol::free_record(handler_context& context, std::uint64_t vector,
                                          std::uint64_t number) const {
  set_word_at(context, vector, word_at(context, vector) & ~(word_t{1} << number));
}

void block_transfer_protocol::free_state_record(handler_context& context,
                                                transfer_record& record) const {
  record.set_phase(transfer_phase::free);
  free_record(context, transfer_storage::state_records, record.number());
}

transfer_portion block_transfer_protocol::portion_of(const transfer_record& record) const {
  transfer_portion portion(storage_.line);
  for_each_part(portion, [&record](const record_field& field, std::uint64_t& part) {
    part = record.get(field);
  });
  return portion;
}

void block_transfer_protocol::store_portion(transfer_record& record,
                                            const transfer_portion& portion) const {
  for_each_part(portion, [&record](const record_field& field, std::uint64_t part) {
    record.set(field, part);
  });
}

word_t block_transfer_protocol::word_at(handler_context& context, std::uint64_t offset) const {
  return context.load(storage_.address + offset);
}

void block_transfer_protocol::set_word_at(handler_context& context, std::uint64_t offset,
                                          word_t value) const {
  context.store(storage_.address + offset, value);
}

handler_id block_transfer_protocol::id(place run) const {
  return handler_id{static_cast<std::uint16_t>(static_cast<std::uint16_t>(storage_.first_handler) +
                                               static_cast<std::uint16_t>(run))};
}

void block_transfer_protocol::defer(handler_context& context, const transfer_record& record,
                                    place run) const {
  message with;
  with.aux = record.number();
  context.later(record.address(), id(run), with);
}

}  // namespace tributary
