// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/line_states.h>

#include <fmt/format.h>

#include <tributary/controller/handler_context.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse(const char* question, std::uint64_t address) {
  throw simulation_error(fmt::format(
      "a handler asks the caches about line {:#x} ({}), and the machine has none. Give the "
      "protocol the lines of 'coherence', or let `is_uncached` be false while others have the line",
      address, question));
}

}  // namespace

bool uncached_lines::is_uncached(handler_context&, std::uint64_t) { return true; }

line_place uncached_lines::place_of(handler_context& context, std::uint64_t address) {
  return is_uncached(context, address) ? line_place::memory : line_place::pending;
}

line_holders uncached_lines::holders_of(handler_context& context, std::uint64_t address) {
  return {place_of(context, address), false, 0};
}

void uncached_lines::ask_processor(handler_context&, std::uint64_t address, payload_handle) {
  refuse("ask_processor", address);
}

bool uncached_lines::take_from_processor(handler_context&, std::uint64_t address, payload_handle) {
  refuse("take_from_processor", address);
}

node_id uncached_lines::begin_asking_owner(handler_context&, std::uint64_t address) {
  refuse("begin_asking_owner", address);
}

void uncached_lines::take_from_owner(handler_context&, std::uint64_t address, payload_handle) {
  refuse("take_from_owner", address);
}

void uncached_lines::end_asking_owner(handler_context&, std::uint64_t address) {
  refuse("end_asking_owner", address);
}

void uncached_lines::take_sharing(handler_context&, std::uint64_t address) {
  refuse("take_sharing", address);
}

void uncached_lines::drop_dirty(handler_context&, std::uint64_t address) {
  refuse("drop_dirty", address);
}

bool uncached_lines::dropped(handler_context&, std::uint64_t address) {
  refuse("dropped", address);
}

node_id uncached_lines::next_holder(handler_context&, std::uint64_t address) {
  refuse("next_holder", address);
}

void uncached_lines::await(handler_context&, std::uint64_t address, word_t) {
  refuse("await", address);
}

word_t uncached_lines::acknowledged(handler_context&, std::uint64_t address, bool) {
  refuse("acknowledged", address);
}

bool uncached_lines::was_there(handler_context&, std::uint64_t address) {
  refuse("was_there", address);
}

bool uncached_lines::drop(handler_context&, std::uint64_t address, bool) {
  refuse("drop", address);
}

bool uncached_lines::ask_to_own(handler_context&, std::uint64_t, handler_id, word_t) {
  return false;
}

word_t uncached_lines::owned_argument(handler_context& context) {
  refuse("owned_argument", context.arrived().address);
}

void uncached_lines::take_owned(handler_context& context, payload_handle) {
  refuse("take_owned", context.arrived().address);
}

void uncached_lines::give_back(handler_context& context, payload_handle) {
  refuse("give_back", context.arrived().address);
}

}  // namespace tributary
