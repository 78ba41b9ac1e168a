// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/combining_queue.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

const combining_queue_config& checked(const combining_queue_config& config) {
  if (config.writers < 1 || config.writers > 2 || config.slots < config.writers ||
      config.slots > 64) {
    throw configuration_error({"slots", "",
                               std::to_string(config.slots) + " slots for " +
                                   std::to_string(config.writers) + " writers of a queue",
                               "1 or 2 writers, and as many slots at least, at most 64", ""});
  }
  if (config.microarchitecture == queue_microarchitecture::systolic &&
      (config.writers != 1 || config.order != match_order::oldest)) {
    throw configuration_error(
        {"microarchitecture", "",
         "a systolic queue of " + std::to_string(config.writers) +
             (config.order == match_order::oldest ? " writers" : " writers, ordered"),
         "systolic with 1 writer and the order oldest", ""});
  }
  if (config.adaptation == queue_adaptation::gradual &&
      (config.adaptive_limit == 0 ||
       config.microarchitecture == queue_microarchitecture::systolic)) {
    throw configuration_error(
        {"adaptation", "",
         config.adaptive_limit == 0 ? "gradual without a limit" : "gradual in a systolic queue",
         "gradual with an adaptive_limit, and parallel", ""});
  }
  return config;
}

/// Combined requests that no queue with room for its writers holds.
std::uint32_t never_combined(const combining_queue_config& config) {
  return config.slots - config.writers + 1;
}

/// Oldest entries that an arrival is compared with. In a systolic queue it is compared later.
std::array<std::size_t, 3> first_compared(const combining_queue_config& config) {
  if (config.microarchitecture == queue_microarchitecture::systolic) {
    return {config.slots, config.slots, config.slots};
  }
  return {config.coupled ? std::size_t{0} : std::size_t{1}, 0, 1};
}

}  // namespace

combining_queue::combining_queue(const combining_queue_config& config, std::size_t count)
    : config_(checked(config)),
      count_(count),
      combining_table_(tributary::combining_table(config.combining_forms)),
      fullest_ready_(config.slots - config.writers),
      first_compared_(first_compared(config)),
      ordered_(config.order == match_order::ordered),
      gradual_(config.adaptation == queue_adaptation::gradual),
      limits_(never_combined(config), config.adaptive_limit),
      packets_(count * config.slots),
      partners_(count * config.slots),
      seals_(ordered_ ? count * config.slots : 0),
      levels_(count),
      rates_(gradual_ ? count : 0),
      columns_(systolic() ? systolic_columns(config.slots, count) : systolic_columns()) {
  const std::uint32_t crude =
      config.adaptive_limit == 0 ? never_combined(config) : config.adaptive_limit;
  const auto limit = gradual_ ? limits_.at(0) : static_cast<std::uint8_t>(crude);
  for (level& each : levels_) each.limit = limit;
}

void combining_queue::join(std::size_t queue, std::size_t slot, const packet& arrival,
                           partner_pool& pool) {
  level& now = levels_[queue];
  if (now.combined == 0) {
    for (std::size_t i = 0; i < now.size; ++i) partners_[slot_of(queue, i)] = no_partner;
  }
  ++now.combined;
  packet& waiting = packets_[slot];
  partners_[slot] = pool.acquire({waiting.id(), arrival.id(), waiting.function()});
  waiting.set_function(compose(waiting.function(), arrival.function()));
}

void combining_queue::erase(std::size_t queue, std::size_t i) {
  level& now = levels_[queue];
  for (; i + 1 < now.size; ++i) {
    packets_[slot_of(queue, i)] = packets_[slot_of(queue, i + 1)];
    partners_[slot_of(queue, i)] = partners_[slot_of(queue, i + 1)];
  }
  --now.size;
}

void combining_queue::seal(std::size_t queue, std::size_t entries, const packet& arrival,
                           unsigned input) {
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t slot = slot_of(queue, i);
    if (packets_[slot].location == arrival.location) {
      seals_[slot] = static_cast<std::uint8_t>(seals_[slot] | (1U << input));
    }
  }
}

bool combining_queue::equals(const partner_pool& pool, const combining_queue& other,
                             const partner_pool& other_pool) const {
  if (count() != other.count() || !(columns_ == other.columns_)) return false;
  for (std::size_t queue = 0; queue < count(); ++queue) {
    if (size(queue) != other.size(queue)) return false;
    for (std::size_t i = 0; i < size(queue); ++i) {
      if (entry(queue, i) != other.entry(queue, i)) return false;
      const partner_index mine = partner_of(queue, i);
      const partner_index theirs = other.partner_of(queue, i);
      if ((mine == no_partner) != (theirs == no_partner)) return false;
      if (mine != no_partner && !(pool[mine] == other_pool[theirs])) return false;
      if (ordered_ && seals_[slot_of(queue, i)] != other.seals_[other.slot_of(queue, i)]) {
        return false;
      }
    }
  }
  return rates_ == other.rates_;
}

void combining_queue::copy_queue(std::size_t queue, const combining_queue& other,
                                 std::size_t other_queue) {
  levels_[queue] = other.levels_[other_queue];
  levels_[queue].head = 0;
  for (std::size_t i = 0; i < size(queue); ++i) {
    const std::size_t slot = slot_of(queue, i);
    const std::size_t from = other.slot_of(other_queue, i);
    packets_[slot] = other.packets_[from];
    partners_[slot] = other.partner_of(other_queue, i);
    if (ordered_) seals_[slot] = other.seals_[from];
  }
  if (gradual_) rates_[queue] = other.rates_[other_queue];
  if (systolic()) columns_.copy_queue(queue, other.columns_, other_queue);
}

void combining_queue::normalize() {
  std::vector<packet> entries(config_.slots);
  std::vector<partner_index> partners(config_.slots);
  std::vector<std::uint8_t> seals(config_.slots);
  for (std::size_t queue = 0; queue < count(); ++queue) {
    for (std::size_t i = 0; i < config_.slots; ++i) {
      const bool used = i < size(queue);
      entries[i] = used ? entry(queue, i) : packet();
      partners[i] = used ? partner_of(queue, i) : no_partner;
      if (ordered_) seals[i] = used ? seals_[slot_of(queue, i)] : std::uint8_t{0};
    }
    levels_[queue].head = 0;
    for (std::size_t i = 0; i < config_.slots; ++i) {
      packets_[slot_of(queue, i)] = entries[i];
      partners_[slot_of(queue, i)] = partners[i];
      if (ordered_) seals_[slot_of(queue, i)] = seals[i];
    }
    if (systolic()) columns_.normalize(queue);
  }
}

void combining_queue::check_levels() const {
  for (std::size_t queue = 0; queue < count(); ++queue) {
    const level& now = levels_[queue];
    require_within(now.head < config_.slots && now.size + now.announced <= config_.slots);
    std::size_t partners = 0;
    for (std::size_t i = 0; i < now.size; ++i) {
      if (partner_of(queue, i) != no_partner) ++partners;
    }
    require_within(now.combined == partners);
    if (systolic()) columns_.check(queue, now.size);
  }
}

void combining_queue::check_partners(const partner_pool& pool) const {
  for (std::size_t queue = 0; queue < count(); ++queue) {
    for (std::size_t i = 0; i < size(queue); ++i) {
      require_within(pool.knows(partner_of(queue, i)));
    }
  }
}

}  // namespace tributary
