// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/active_messages/active_messages.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using active_messages::message_type;
using run = active_messages::handlers<handler_context>;

constexpr handler_entry<run> table[] = {
    for_processor("processor_write", &run::processor_write, common_type::uncached_write,
                  locality::local),
    for_processor("processor_read", &run::processor_read, common_type::uncached_read,
                  locality::local),
    for_network("called", &run::called, message_type::call, locality::local),
    for_network("accepted", &run::accepted, message_type::accepted, locality::any),
    for_network("refused", &run::refused, message_type::refused, locality::any),
    put_off("send_again", &run::send_again)};

}  // namespace

void active_messages_config::bind(parameter_set& parameters) {
  parameters.add("window", window,
                 interval<std::uint32_t>{0, active_messages::slots::most_under_way}, "messages",
                 "Active messages of each node that may be under way; 0 for none at all.");
  parameters.add("words", words, interval<std::uint64_t>{0, active_message_command::most_words},
                 "words", "Words of each node that functions of its controller change.");
  parameters.add("retry", retry, interval<std::uint64_t>{1, 1000000000}, "cycles",
                 "From a refusal, as the processor's queue is full, to the next attempt.");
}

void active_message_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("command", command, "An access of the processor (assumed: as an uncached store).");
  add("send", send, "Sending a message (assumed).");
  add("receive", receive, "Taking a message, without its arguments (assumed).");
  add("argument", argument, "Each argument of a message that comes (assumed).");
  add("post", post, "Queueing a message for the processor (assumed: as costs.kernel_calls.post).");
  add("acknowledged", acknowledged, "Learning that a message was accepted, or refused (assumed).");
}

active_messages_protocol::active_messages_protocol(const active_messages_config& config,
                                                   const active_message_costs& costs,
                                                   const kernel_calls& kernel,
                                                   const std::vector<function>& functions)
    : config_(config), functions_(functions) {
  check_ranges(config);
  for (std::uint32_t i = 0; functions.empty() && i < usual_functions::count; ++i) {
    functions_.push_back(usual_functions::of<handler_context>(i));
  }
  settings_.costs = costs;
  settings_.window = config.window;
  settings_.words = config.words;
  settings_.retry = config.retry;
  settings_.calls = &kernel.calls();
  settings_.call_type = kernel_command::active_message;
  settings_.functions = functions_.data();
  settings_.function_count = functions_.size();
}

std::vector<dispatch_rule> active_messages_protocol::rules() const {
  return rules_of(table, active_message_command::space);
}

std::vector<handler> active_messages_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> active_messages_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::call), "active_message"},
          {static_cast<std::uint8_t>(message_type::accepted), "active_accepted"},
          {static_cast<std::uint8_t>(message_type::refused), "active_refused"}};
}

std::uint64_t active_messages_protocol::storage_bytes() const {
  // A line for the slots' word.
  return (2 + std::uint64_t{config_.window}) * most_line_bytes + config_.words * word_bytes;
}

void active_messages_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.line = where.line;
  settings_.control = where.address;
  settings_.first_slot = where.address + where.line.bytes();
  settings_.first_word =
      settings_.first_slot + (1 + std::uint64_t{config_.window}) * where.line.bytes();
  settings_.send_again = number_of(table, &run::send_again, where.first_handler);
}

}  // namespace tributary
