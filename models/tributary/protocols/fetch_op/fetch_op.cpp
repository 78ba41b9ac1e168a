// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/fetch_op/fetch_op.h>

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_context.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using home = fetch_ops::handlers<handler_context>;
using coherent = fetch_ops::coherent_handlers<handler_context>;

constexpr std::uint8_t normal_space = 0;
constexpr locality local = locality::local;
constexpr locality remote = locality::remote;
constexpr locality any = locality::any;

constexpr handler_entry<home> at_home[] = {
    for_processor("perform", &home::perform, common_type::uncached_operation, local),
    for_processor("forward", &home::forward, common_type::uncached_operation, remote),
    for_network("perform_for_another", &home::perform_for_another, common_type::operation_request,
                local),
    for_network("take_reply", &home::take_reply, common_type::operation_answer, any)};

constexpr handler_entry<coherent> coherently[] = {
    for_processor("perform", &coherent::perform, common_type::uncached_operation, local),
    for_processor("forward", &coherent::forward, common_type::uncached_operation, remote),
    for_network("perform_for_another", &coherent::perform_for_another,
                common_type::operation_request, local),
    for_network("take_reply", &coherent::take_reply, common_type::operation_answer, any),
    put_off("perform_later", &coherent::perform_later),
    put_off("perform_owned", &coherent::perform_owned)};

}  // namespace

void fetch_op_config::bind(parameter_set& parameters) {
  parameters.add_choice(
      "method", method,
      {{"ll_sc", fetch_op_method::ll_sc},
       {"home", fetch_op_method::home},
       {"coherent", fetch_op_method::coherent}},
      "Who does what changes a word for a processor with caches: the processor, by load-linked and "
      "store-conditional; a handler at the word's home, on words that no cache keeps; a handler "
      "there that owns the word's line meanwhile (FLASH 7.2.1). Without caches it is home.");
  parameters.add("uncached_bytes", uncached_bytes,
                 interval<std::uint64_t>{0, std::uint64_t{1} << 40}, "bytes",
                 "Of each node's memory, from its beginning, that caches do not keep where method "
                 "is home: a power of two of whole lines, or 0 for all of it. Operations on other "
                 "words are the processor's.");
}

void fetch_op_config::validate(line_size line) const {
  check_ranges(*this);
  const bool is_power = (uncached_bytes & (uncached_bytes - 1)) == 0;
  if (uncached_bytes == 0 || (is_power && uncached_bytes >= line.bytes())) return;
  throw configuration_error(
      {"fetch_op.uncached_bytes", "",
       fmt::format("{} bytes are no window of lines", uncached_bytes),
       fmt::format("0, or a power of two from node.memory.line_bytes = {} on", line.bytes()),
       "choose one of them"});
}

void fetch_op_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("perform", perform,
      "Changing the word, and without coherence reading and writing it "
      "(assumed; FLASH 7.2.1 has no number).");
  add("forward", forward, "Passing an operation on to its home (assumed).");
  add("reply", reply, "Taking what the home answers (assumed).");
  add("keep", keep, "Keeping an operation until its line is there (assumed).");
  add("again", again, "Looking in vain whether an operation can go on (assumed).");
}

fetch_op_protocol::fetch_op_protocol(const fetch_op_costs& costs, const fetch_op_config& config)
    : config_(config) {
  check_ranges(config);
  settings_.costs = costs;
}

fetch_op_protocol::fetch_op_protocol(const fetch_op_costs& costs, const fetch_op_config& config,
                                     const coherence::handler_settings& coherence,
                                     std::uint32_t nodes, std::uint32_t outstanding)
    : fetch_op_protocol(costs, config) {
  settings_.coherence = &coherence;
  settings_.memory.nodes = nodes;
  settings_.memory.tags = outstanding;
}

std::vector<dispatch_rule> fetch_op_protocol::rules() const {
  return is_coherent() ? rules_of(coherently, normal_space) : rules_of(at_home, normal_space);
}

std::vector<handler> fetch_op_protocol::handlers() {
  return is_coherent() ? bodies_of(coherently, settings_) : bodies_of(at_home, settings_);
}

operated_words fetch_op_protocol::operations() const {
  operated_words words;
  words.cached = is_coherent();
  if (config_.method == fetch_op_method::home) {
    words.uncached_bytes = config_.uncached_bytes == 0 ? ~std::uint64_t{0} : config_.uncached_bytes;
  }
  return words;
}

std::uint64_t fetch_op_protocol::storage_bytes() const {
  return is_coherent() ? settings_.memory.bytes() : 0;
}

void fetch_op_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.line = where.line;
  settings_.memory.base = where.address;
  settings_.perform_later = number_of(coherently, &coherent::perform_later, where.first_handler);
  settings_.perform_owned = number_of(coherently, &coherent::perform_owned, where.first_handler);
}

}  // namespace tributary
