// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/coherence/coherent_lines.h>

#include <tributary/controller/handler_context.h>
#include <tributary/protocols/coherence/owned_line.h>
#include <tributary/protocols/coherence/transferred_line.h>

namespace tributary {
namespace {

using line = coherence::transferred_line<handler_context>;
using owned_line = coherence::owned_line<handler_context>;

}  // namespace

line_place coherent_lines::place_of(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).place();
}

void coherent_lines::ask_processor(handler_context& context, std::uint64_t address,
                                   payload_handle data) {
  line(context, settings_, address).ask_processor(data);
}

bool coherent_lines::take_from_processor(handler_context& context, std::uint64_t address,
                                         payload_handle data) {
  return line(context, settings_, address).take_from_processor(data);
}

node_id coherent_lines::begin_asking_owner(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).begin_asking_owner();
}

void coherent_lines::take_from_owner(handler_context& context, std::uint64_t address,
                                     payload_handle data) {
  line(context, settings_, address).take_from_owner(data);
}

void coherent_lines::end_asking_owner(handler_context& context, std::uint64_t address) {
  line(context, settings_, address).end_asking_owner();
}

line_holders coherent_lines::holders_of(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).holders();
}

void coherent_lines::take_sharing(handler_context& context, std::uint64_t address) {
  line(context, settings_, address).take_sharing();
}

void coherent_lines::drop_dirty(handler_context& context, std::uint64_t address) {
  line(context, settings_, address).drop_dirty();
}

bool coherent_lines::dropped(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).dropped();
}

node_id coherent_lines::next_holder(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).next_holder();
}

void coherent_lines::await(handler_context& context, std::uint64_t address, word_t awaited) {
  line(context, settings_, address).await(awaited);
}

word_t coherent_lines::acknowledged(handler_context& context, std::uint64_t address, bool had) {
  return line(context, settings_, address).acknowledged(had);
}

bool coherent_lines::was_there(handler_context& context, std::uint64_t address) {
  return line(context, settings_, address).was_there();
}

bool coherent_lines::drop(handler_context& context, std::uint64_t address, bool wants_state) {
  return line(context, settings_, address).drop(wants_state);
}

bool coherent_lines::ask_to_own(handler_context& context, std::uint64_t address, handler_id run,
                                word_t argument) {
  return owned_line(context, settings_, address).ask(run, argument);
}

word_t coherent_lines::owned_argument(handler_context& context) {
  return owned_line(context, settings_, context.arrived().address).argument();
}

void coherent_lines::take_owned(handler_context& context, payload_handle data) {
  owned_line(context, settings_, context.arrived().address).take(data);
}

void coherent_lines::give_back(handler_context& context, payload_handle data) {
  owned_line(context, settings_, context.arrived().address).give_back(data);
}

}  // namespace tributary
