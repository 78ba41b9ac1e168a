// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/pages_in_use.h>

#include <string>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// Bits of a page's number below those of its node, about: the exclusive or of both halves.
constexpr unsigned half_shift = 20;

}  // namespace

void pages_in_use_costs::bind(parameter_set& parameters) {
  cost_binder add_cost(parameters);
  add_cost("add", add, "Adding an address to a list: 8 to 9 with `add_before` (FLASH 4.2.2).");
  add_cost("add_before", add_before,
           "More if the list has others, the first of which gets a link (the 9 of FLASH 4.2.2).");
  add_cost("remove", remove, "Taking an address out of its list (not published: as adding).");
  add_cost("search", search, "Finding the list of a page that changes (assumed).");
  add_cost("look", look, "Each address of that list (assumed).");
  add_cost("test", test, "Testing an address for 0: a branch (FLASH 4.2.2).");
}

void pages_in_use_config::bind(parameter_set& parameters) {
  parameters.add("buckets", buckets, {1, 1024}, "lists",
                 "Lists of physical addresses in use, a power of two (not published).");
}

void pages_in_use_config::validate() const {
  check_ranges(*this);
  if ((buckets & (buckets - 1)) == 0) return;
  throw configuration_error(configuration_problem{
      "pages_in_use.buckets", "", std::to_string(buckets) + " is not a power of two",
      "a power of two up to 1024", "choose one"});
}

pages_in_use::pages_in_use(const pages_in_use_config& config, const pages_in_use_costs& costs)
    : config_(config), costs_(costs) {
  config_.validate();
}

std::uint64_t pages_in_use::storage_bytes() const {
  return config_.buckets * word_bytes + places * entry_bytes;
}

std::uint64_t pages_in_use::head(std::uint64_t address) const {
  const std::uint64_t page = page_of(address);
  return base_ + ((page ^ page >> half_shift) & (config_.buckets - 1)) * word_bytes;
}

std::uint64_t pages_in_use::entry(std::uint64_t number) const {
  return base_ + config_.buckets * word_bytes + number * entry_bytes;
}

void pages_in_use::add(handler_context& context, std::uint64_t number, std::uint64_t copy,
                       std::uint64_t virtual_address) const {
  context.spend(costs_.add);
  const std::uint64_t list = head(context.load(copy));
  const word_t first = context.load(list);
  const std::uint64_t added = entry(number);
  context.store(added + copy_word, copy);
  context.store(added + virtual_word, virtual_address);
  context.store(added + next_word, first);
  context.store(added + previous_word, 0);
  if (first != 0) {
    context.spend(costs_.add_before);
    context.store(entry(first - 1) + previous_word, number + 1);
  }
  context.store(list, number + 1);
}

bool pages_in_use::has(handler_context& context, std::uint64_t number) const {
  return context.load(entry(number) + copy_word) != 0;
}

bool pages_in_use::is_obsolete(handler_context& context, std::uint64_t number,
                               word_t copied) const {
  context.spend(costs_.test);
  return copied == 0 && !has(context, number);
}

std::uint64_t pages_in_use::virtual_address(handler_context& context, std::uint64_t number) const {
  return context.load(entry(number) + virtual_word);
}

void pages_in_use::remove(handler_context& context, std::uint64_t number) const {
  const std::uint64_t removed = entry(number);
  const word_t copy = context.load(removed + copy_word);
  if (copy == 0) return;
  context.spend(costs_.remove);
  unlink(context, removed, head(context.load(copy)));
}

void pages_in_use::unlink(handler_context& context, std::uint64_t removed,
                          std::uint64_t head) const {
  const word_t next = context.load(removed + next_word);
  const word_t previous = context.load(removed + previous_word);
  context.store(previous == 0 ? head : entry(previous - 1) + next_word, next);
  if (next != 0) context.store(entry(next - 1) + previous_word, previous);
  context.store(removed + copy_word, 0);
}

void pages_in_use::invalidate(handler_context& context, std::uint64_t physical_page) const {
  context.spend(costs_.search);
  const std::uint64_t list = head(physical_page);
  word_t next = 0;
  for (word_t each = context.load(list); each != 0; each = next) {
    context.spend(costs_.look);
    const std::uint64_t looked_at = entry(each - 1);
    next = context.load(looked_at + next_word);
    const word_t copy = context.load(looked_at + copy_word);
    if (page_of(context.load(copy)) != page_of(physical_page)) continue;
    context.store(copy, 0);
    unlink(context, looked_at, list);
  }
}

}  // namespace tributary
