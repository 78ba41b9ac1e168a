// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/jump_table.h>

#include <array>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

std::string text_of(const dispatch_rule& rule) {
  static constexpr std::array<const char*, 4> origins{"processor", "network", "deferred", "timed"};
  return "the rule for type " + std::to_string(rule.type) + ", origin " +
         origins.at(static_cast<std::size_t>(rule.origin)) + ", handler " +
         std::to_string(static_cast<unsigned>(rule.run));
}

[[noreturn]] void refuse(const dispatch_rule& rule, const std::string& problem,
                         const std::string& allowed, const std::string& advice) {
  throw configuration_error(
      configuration_problem{"jump table", "", text_of(rule) + " " + problem, allowed, advice});
}

bool wants(const std::optional<std::uint8_t>& filter, std::uint32_t value) {
  return !filter || *filter == value;
}

void check(const dispatch_rule& rule, const address_layout& addresses) {
  if (rule.run == no_handler) {
    refuse(rule, "names no handler", "", "name one of the protocol's handlers");
  }
  if (rule.origin == message_origin::deferred || rule.origin == message_origin::timed) {
    refuse(rule, "can never be chosen, because messages of that origin bring their handler",
           "processor, network", "drop the rule");
  }
  const std::uint32_t spaces = 1U << addresses.space_bits;
  if (rule.space && *rule.space >= spaces) {
    refuse(rule, "asks for address space " + std::to_string(*rule.space),
           "0 to " + std::to_string(spaces - 1),
           "widen the address space field (addresses.space_bits)");
  }
  if (rule.flavor && *rule.flavor > 3) {
    refuse(rule, "asks for flavor " + std::to_string(*rule.flavor), "0 to 3",
           "choose a flavor in the range");
  }
}

}  // namespace

void jump_table_config::bind(parameter_set& parameters) {
  parameters.add("candidates", candidates, {1, 256}, "rules",
                 "rules that one message type, origin and locality may have; FLASH: 4");
}

jump_table::jump_table(const jump_table_config& config, const std::vector<dispatch_rule>& rules,
                       const address_layout& addresses, node_id here)
    : addresses_(addresses), here_(here) {
  check_ranges(config);
  std::vector<std::vector<const dispatch_rule*>> of_key(keys);
  for (const dispatch_rule& rule : rules) {
    check(rule, addresses_);
    bool reached = false;
    for (const bool local : {false, true}) {
      if (rule.where == (local ? locality::remote : locality::local)) continue;
      std::vector<const dispatch_rule*>& candidates = of_key[key_of(rule.type, rule.origin, local)];
      bool covered = false;
      for (const dispatch_rule* earlier : candidates) covered |= filters_less(*earlier, rule);
      if (covered) continue;
      reached = true;
      candidates.push_back(&rule);
      if (candidates.size() > config.candidates) {
        refuse(rule,
               "is one too many for a key of the table (" +
                   std::string(local ? "local" : "remote") + " addresses)",
               "at most " + std::to_string(config.candidates) + " candidates",
               "merge rules, or let one handler choose");
      }
    }
    if (!reached) {
      refuse(rule, "can never be chosen, because earlier rules take everything that it would take",
             "", "put the more special rule first");
    }
  }
  first_.reserve(keys + 1);
  for (const std::vector<const dispatch_rule*>& candidates : of_key) {
    first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    for (const dispatch_rule* each : candidates) candidates_.push_back(*each);
  }
  first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
}

std::optional<jump_table_entry> jump_table::find(const message& header,
                                                 bool buffer_available) const {
  if (static_cast<std::size_t>(header.origin) >= origins) return std::nullopt;
  const bool local = addresses_.node_of(header.address) == here_;
  const std::uint32_t space = addresses_.space_of(header.address);
  const std::size_t key = key_of(header.type, header.origin, local);
  for (std::uint32_t i = first_[key]; i < first_[key + 1]; ++i) {
    const dispatch_rule& rule = candidates_[i];
    if (wants(rule.space, space) && wants(rule.flavor, header.flavor) &&
        wants(rule.process, header.process) && (buffer_available || !rule.needs_buffer)) {
      return jump_table_entry{rule.run, rule.ahead};
    }
  }
  return std::nullopt;
}

}  // namespace tributary
