// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_active_messages.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr ospc_priority queue = ospc_priority::high;
constexpr auto interrupt_line = static_cast<std::uint32_t>(queue);
/// Between two looks whether there is room, and whether all were accepted.
constexpr std::uint64_t pause = 100;

}  // namespace

flash_active_messages::flash_active_messages(program_context& context,
                                             const flash_active_place& place)
    : context_(context), place_(place) {
  if (context.processes() != 1) {
    throw configuration_error({"node.processes", "",
                               "active messages go to nodes, and know no processes",
                               "1 with active messages", "run one process on each node"});
  }
  context.interrupts(interrupt_line, [this](program_context& own) { serve_all(own); });
}

void flash_active_messages::serve(std::uint32_t number, handler with) {
  check(number <= 0xffff, "serves a handler of a number above 65535");
  handlers_[number] = std::move(with);
}

void flash_active_messages::send(node_id to, std::uint32_t number,
                                 std::initializer_list<word_t> arguments) {
  submit({to, number, static_cast<std::uint32_t>(arguments.size()), false}, arguments);
}

void flash_active_messages::call(node_id at, std::uint32_t function,
                                 std::initializer_list<word_t> arguments) {
  submit({at, function, static_cast<std::uint32_t>(arguments.size()), true}, arguments);
}

void flash_active_messages::submit(const active_header& header,
                                   std::initializer_list<word_t> arguments) {
  check(index(header.node) < place_.nodes, "sends to a node that does not exist");
  check(header.handler <= 0xffff, "sends to a handler of a number above 65535");
  check(header.arguments <= active_message_command::most_arguments(place_.line),
        "sends more arguments than a line holds behind two doublewords");
  while (!try_submit(header, arguments)) context_.delay(pause);
}

/// A handler that sends in between would build its message in the same slot.
bool flash_active_messages::try_submit(const active_header& header,
                                       std::initializer_list<word_t> arguments) {
  context_.mask(interrupt_line);
  std::uint64_t place = 0;
  for (const word_t each : arguments) {
    context_.post(operation::store, address(active_message_command::argument(place++)), each);
  }
  context_.post(operation::store, address(active_message_command::header), header.word());
  const bool sent = context_.load(address(active_message_command::send)) != 0;
  context_.unmask(interrupt_line);
  return sent;
}

void flash_active_messages::fence() {
  while (context_.load(address(active_message_command::under_way)) != 0) context_.delay(pause);
}

word_t flash_active_messages::word(std::uint64_t i) {
  check(i < place_.words, "reads a word that its node does not have");
  return context_.load(address(active_message_command::word(i)));
}

void flash_active_messages::set_word(std::uint64_t i, word_t value) {
  check(i < place_.words, "writes a word that its node does not have");
  context_.store(address(active_message_command::word(i)), value);
}

void flash_active_messages::check(bool holds, const char* problem) const {
  if (holds) return;
  throw simulation_error(fmt::format(
      "processor {}, cycle {}: a program {}; allowed are nodes 0 to {}, handlers 0 to 65535, {} "
      "arguments and {} words",
      context_.rank(), context_.now(), problem, place_.nodes - 1,
      active_message_command::most_arguments(place_.line), place_.words));
}

/// A doubleword of the first record. As a line it costs one miss for all (FLASH 4.1.3).
word_t flash_active_messages::record(program_context& context, std::uint64_t i) const {
  return context.load(kernel_address(place_.by_line ? kernel_command::record(queue, i)
                                                    : kernel_command::call(queue, i)));
}

/// One interrupt may be for several messages.
void flash_active_messages::serve_all(program_context& context) {
  context.delay(place_.start_up);
  for (;;) {
    if (place_.by_line) context.store(kernel_address(kernel_command::drop(queue)), 0);
    const word_t type = record(context, 0);
    if (type == 0) return;
    const active_header header = active_header::of(record(context, 1));
    const auto found = handlers_.find(header.handler);
    if (type != kernel_command::active_message || found == handlers_.end()) {
      throw simulation_error(fmt::format(
          "processor {} gets a call of type {} in cycle {}, for handler {} from node {}, which it "
          "does not serve; call serve before others send",
          context.rank(), type, context.now(), header.handler, index(header.node)));
    }
    active_message message{header.node, {}};
    for (std::uint32_t i = 0; i < header.arguments; ++i) {
      message.arguments.push_back(record(context, 2 + i));
    }
    context.store(kernel_address(kernel_command::served(queue)), 0);
    found->second(context, message);
  }
}

}  // namespace tributary
