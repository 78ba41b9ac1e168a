// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/protocol_set.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

namespace tributary {
namespace {

constexpr std::pair<common_type, const char*> common_names[] = {
    {common_type::uncached_read, "uncached_read"},
    {common_type::uncached_write, "uncached_write"},
    {common_type::uncached_operation, "uncached_operation"},
    {common_type::line_read, "line_read"},
    {common_type::line_read_exclusive, "line_read_exclusive"},
    {common_type::line_upgrade, "line_upgrade"},
    {common_type::line_write_back, "line_write_back"},
    {common_type::line_replaced, "line_replaced"},
    {common_type::line_shared, "line_shared"},
    {common_type::line_exclusive, "line_exclusive"},
    {common_type::line_upgraded, "line_upgraded"},
    {common_type::line_all_invalidated, "line_all_invalidated"},
    {common_type::line_refused, "line_refused"},
    {common_type::operation_request, "operation_request"},
    {common_type::operation_answer, "operation_answer"}};

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> problem, Parts&&... parts) {
  throw configuration_error(fmt::format(problem, std::forward<Parts>(parts)...));
}

/// Whether every message that `second` takes is taken by `first`.
bool hides(const dispatch_rule& first, const dispatch_rule& second) {
  return first.type == second.type && first.origin == second.origin &&
         (first.where == locality::any || first.where == second.where) &&
         filters_less(first, second);
}

}  // namespace

protocol_set::protocol_set(const protocol_site& site,
                           std::vector<std::unique_ptr<protocol>> protocols)
    : line_(site.line), storage_end_(line_.next_start(site.storage)) {
  for (std::unique_ptr<protocol>& each : protocols) {
    placed_protocol next;
    next.name = each->name();
    next.implementation = std::move(each);
    if (!is_plain_name(next.name)) {
      refuse("protocol '{}' needs a name of lower case letters, digits and underscores", next.name);
    }
    for (const placed_protocol& other : placed_) {
      if (other.name == next.name) {
        refuse("two protocols of node {} are called '{}'; take one away", index(site.node),
               next.name);
      }
    }
    check_facilities(next, site.facilities);
    place(next, site);
    add_handlers(next);
    add_rules(next);
    placed_.push_back(std::move(next));
  }
  check_pages();
}

void protocol_set::check_pages() const {
  std::uint64_t distance = 0;
  for (const placed_protocol& each : placed_) {
    for (const noncoherent_page& page : each.implementation->noncoherent_pages()) {
      const bool is_power = page.bytes != 0 && (page.bytes & (page.bytes - 1)) == 0;
      if (!is_power || page.offset % page.bytes != 0) {
        refuse(
            "protocol '{}' gives caches a page of {} bytes at {:#x}; choose a power of two, and a "
            "multiple of it",
            each.name, page.bytes, page.offset);
      }
      if (page.drop_distance == 0) continue;
      if (distance != 0 && distance != page.drop_distance) {
        refuse("protocol '{}' drops lines {} bytes behind them, and another one {}; choose one",
               each.name, page.drop_distance, distance);
      }
      distance = page.drop_distance;
    }
  }
}

void protocol_set::check_facilities(const placed_protocol& placed,
                                    const std::vector<facility>& has) const {
  for (const facility needed : placed.implementation->needs()) {
    if (std::find(has.begin(), has.end(), needed) != has.end()) continue;
    refuse(
        "protocol '{}' needs the facility '{}', which the controller does not have; choose a "
        "controller that has it, or a protocol that does without",
        placed.name, tributary::name_of(needed));
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
    refuse(
        "protocol '{}' needs {} bytes of storage from byte {} on, beyond the {} bytes of the "
        "node's memory; enlarge the memory or let the protocols' storage begin lower",
        placed.name, wanted, storage_end_, site.memory_bytes);
  }
  storage_end_ = line_.next_start(storage_end_ + wanted);
}

void protocol_set::add_handlers(const placed_protocol& placed) {
  for (const std::string& next : placed.implementation->handler_names()) {
    const std::string name = placed.name + "." + next;
    if (!is_plain_name(next)) {
      refuse("handler '{}' needs a name of lower case letters, digits and underscores", name);
    }
    if (find(name) != no_handler) {
      refuse("two handlers are called '{}'; rename one", name);
    }
    if (handler_names_.size() == static_cast<std::size_t>(no_handler)) {
      refuse("handler '{}' is one too many: a node has at most {}", name, handler_names_.size());
    }
    handler_names_.push_back(name);
  }
}

void protocol_set::add_rules(const placed_protocol& placed) {
  const auto first = static_cast<std::size_t>(placed.where.first_handler);
  for (dispatch_rule rule : placed.implementation->rules()) {
    const auto place = static_cast<std::size_t>(rule.run);
    if (place >= handler_names_.size() - first) {
      refuse(
          "protocol '{}' has a rule for message type {} that runs its handler {}; it has {} "
          "handlers, numbered from 0",
          placed.name, rule.type, place, handler_names_.size() - first);
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
      refuse(
          "protocols '{}' and '{}' both have rules for message type {}; a type from {} on belongs "
          "to one protocol, so give one of them another",
          rule_owners_[i], placed.name, rule.type, first_protocol_type);
    }
    if (hides(rules_[i], rule)) {
      refuse(
          "protocol '{}' has a rule for message type {} that can never be chosen, because handler "
          "'{}' takes all of its messages before; name the more special rule or protocol first",
          placed.name, rule.type, name_of(rules_[i].run));
    }
  }
}

std::vector<std::string> protocol_set::message_names() const {
  std::vector<std::string> names;
  for (std::size_t type = 0; type <= std::numeric_limits<std::uint8_t>::max(); ++type) {
    names.push_back("type " + std::to_string(type));
  }
  for (const auto& [type, name] : common_names) names[static_cast<std::size_t>(type)] = name;
  for (const placed_protocol& placed : placed_) {
    for (const message_name& each : placed.implementation->message_names()) {
      names[each.type] = each.name;
    }
  }
  return names;
}

std::vector<message_number> protocol_set::message_numbers() const {
  std::vector<message_number> numbers(std::numeric_limits<std::uint8_t>::max() + std::size_t{1});
  for (const placed_protocol& placed : placed_) {
    for (const message_name& each : placed.implementation->message_names()) {
      numbers[each.type] = each.number;
    }
  }
  return numbers;
}

std::vector<noncoherent_page> protocol_set::noncoherent_pages() const {
  std::vector<noncoherent_page> all;
  for (const placed_protocol& each : placed_) {
    for (const noncoherent_page& page : each.implementation->noncoherent_pages()) {
      all.push_back(page);
    }
  }
  return all;
}

operated_words protocol_set::operations() const {
  operated_words all;
  for (const placed_protocol& each : placed_) {
    const operated_words own = each.implementation->operations();
    all.cached = all.cached || own.cached;
    all.uncached_bytes = std::max(all.uncached_bytes, own.uncached_bytes);
  }
  return all;
}

std::optional<checked_blocks> protocol_set::checked() const {
  std::optional<checked_blocks> found;
  for (const placed_protocol& each : placed_) {
    const std::optional<checked_blocks> own = each.implementation->checked();
    if (own && found) {
      throw configuration_error({"protocols", "", each.name + " and another one check accesses",
                                 "one protocol with access tags", "leave one out"});
    }
    if (own) found = own;
  }
  return found;
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

void protocol_set::report_occupancies(statistics_group& into,
                                      const std::vector<average>& occupancies) const {
  for (std::size_t i = 0; i < occupancies.size(); ++i) {
    if (occupancies[i].count() == 0) continue;
    const std::string& name = handler_names_[i];
    const std::size_t dot = name.rfind('.');
    into.group("handler." + name.substr(0, dot))
        .add(name.substr(dot + 1), occupancies[i], "cycles",
             "Occupancy by one invocation of the handler.");
  }
}

void protocol_set::initialize(word_memory& memory) {
  for (const placed_protocol& next : placed_) next.implementation->initialize(next.where, memory);
}

}  // namespace tributary
