// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/protocol_set.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

template <class T>
bool covers(const std::optional<T>& wide, const std::optional<T>& narrow) {
  return !wide || wide == narrow;
}

/// Whether every message that `second` takes is taken by `first`.
bool hides(const dispatch_rule& first, const dispatch_rule& second) {
  return first.type == second.type && first.origin == second.origin &&
         (first.where == locality::any || first.where == second.where) &&
         covers(first.space, second.space) && covers(first.flavor, second.flavor) &&
         covers(first.process, second.process) && (!first.needs_buffer || second.needs_buffer);
}

}  // namespace

protocol_set::protocol_set(const protocol_site& site,
                           std::vector<std::unique_ptr<protocol>> protocols)
    : line_(site.line), storage_end_(line_.next_start(site.storage)) {
  for (std::unique_ptr<protocol>& each : protocols) {
    placed_protocol next;
    next.name = each->name();
    next.implementation = std::move(each);
    if (!is_name(next.name)) {
      throw configuration_error("protocol '" + next.name +
                                "' needs a name of lower case letters, digits and underscores");
    }
    for (const placed_protocol& other : placed_) {
      if (other.name == next.name) {
        throw configuration_error("two protocols of node " + std::to_string(index(site.node)) +
                                  " are called '" + next.name + "'; take one away");
      }
    }
    check_facilities(next, site.facilities);
    place(next, site);
    add_handlers(next);
    add_rules(next);
    placed_.push_back(std::move(next));
  }
}

void protocol_set::check_facilities(const placed_protocol& placed,
                                    const std::vector<facility>& has) const {
  for (const facility needed : placed.implementation->needs()) {
    if (std::find(has.begin(), has.end(), needed) != has.end()) continue;
    throw configuration_error("protocol '" + placed.name + "' needs the facility '" +
                              tributary::name_of(needed) +
                              "', which the controller does not have; choose a controller that "
                              "has it, or a protocol that does without");
  }
}

void protocol_set::place(placed_protocol& placed, const protocol_site& site) {
  placed.where.node = site.node;
  placed.where.nodes = site.nodes;
  placed.where.line = site.line;
  placed.where.address = storage_end_;
  placed.where.first_handler = handler_id{static_cast<std::uint16_t>(handler_names_.size())};
  const std::uint64_t wanted = placed.implementation->storage_bytes();
  if (storage_end_ > site.memory_bytes || wanted > site.memory_bytes - storage_end_) {
    throw configuration_error("protocol '" + placed.name + "' needs " + std::to_string(wanted) +
                              " bytes of storage from byte " + std::to_string(storage_end_) +
                              " on, beyond the " + std::to_string(site.memory_bytes) +
                              " bytes of the node's memory; enlarge the memory or let the "
                              "protocols' storage begin lower");
  }
  storage_end_ = line_.next_start(storage_end_ + wanted);
}

void protocol_set::add_handlers(const placed_protocol& placed) {
  for (const std::string& next : placed.implementation->handler_names()) {
    const std::string name = placed.name + "." + next;
    if (!is_name(next)) {
      throw configuration_error("handler '" + name +
                                "' needs a name of lower case letters, digits and underscores");
    }
    if (find(name) != no_handler) {
      throw configuration_error("two handlers are called '" + name + "'; rename one");
    }
    if (handler_names_.size() == static_cast<std::size_t>(no_handler)) {
      throw configuration_error("handler '" + name + "' is one too many: a node has at most " +
                                std::to_string(handler_names_.size()));
    }
    handler_names_.push_back(name);
  }
}

void protocol_set::add_rules(const placed_protocol& placed) {
  const auto first = static_cast<std::size_t>(placed.where.first_handler);
  for (dispatch_rule rule : placed.implementation->rules()) {
    const auto place = static_cast<std::size_t>(rule.run);
    if (place >= handler_names_.size() - first) {
      throw configuration_error("protocol '" + placed.name + "' has a rule for message type " +
                                std::to_string(rule.type) + " that runs its handler " +
                                std::to_string(place) + "; it has " +
                                std::to_string(handler_names_.size() - first) +
                                " handlers, numbered from 0");
    }
    check_rule(placed, rule);
    rule.run = handler_id{static_cast<std::uint16_t>(first + place)};
    rules_.push_back(rule);
    rule_owners_.push_back(placed.name);
  }
}

void protocol_set::check_rule(const placed_protocol& placed, const dispatch_rule& rule) const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].type != rule.type) continue;
    if (rule_owners_[i] != placed.name && rule.type >= first_protocol_type) {
      throw configuration_error("protocols '" + rule_owners_[i] + "' and '" + placed.name +
                                "' both have rules for message type " + std::to_string(rule.type) +
                                "; a type from " + std::to_string(first_protocol_type) +
                                " on belongs to one protocol, so give one of them another");
    }
    if (hides(rules_[i], rule)) {
      throw configuration_error("protocol '" + placed.name + "' has a rule for message type " +
                                std::to_string(rule.type) +
                                " that can never be chosen, because handler '" +
                                name_of(rules_[i].run) +
                                "' takes all of its messages before; name the more special "
                                "rule or protocol first");
    }
  }
}

std::string protocol_set::name_of(handler_id run) const {
  const auto place = static_cast<std::size_t>(run);
  return place < handler_names_.size() ? handler_names_[place] : "handler " + std::to_string(place);
}

handler_id protocol_set::find(std::string_view name) const {
  for (std::size_t i = 0; i < handler_names_.size(); ++i) {
    if (handler_names_[i] == name) return handler_id{static_cast<std::uint16_t>(i)};
  }
  return no_handler;
}

void protocol_set::initialize(word_memory& memory) {
  for (const placed_protocol& next : placed_) next.implementation->initialize(next.where, memory);
}

}  // namespace tributary
