// SPDX-License-Identifier: Apache-2.0
#include "random_switch.h"

#include <sstream>

#include "random_choice.h"

namespace tributary::testing {
combining_switch_config random_switch(random_stream& random) {
  combining_switch_config config;
  config.type = one_of(random, {queue_type::a, queue_type::b});
  config.coupled = random.below(2) == 0;
  config.slots = between(random, config.writers(), config.writers() + 5);
  config.adaptive_limit = one_of(random, {0U, 0U, 1U, 2U, 3U});
  config.wait_buffer_entries = one_of(random, {1U, 2U, 3U, 8U, 100U});
  config.order = one_of(random, {match_order::oldest, match_order::ordered});
  config.link_cycles = between(random, 1, 4);
  config.reverse_slots = one_of(random, {5U, 6U, 16U});
  config.combining = random.below(16) != 0;
  for (bool& enabled : config.combine.enabled) enabled = random.below(16) != 0;
  if (config.type == queue_type::b && config.order == match_order::oldest) {
    config.microarchitecture =
        one_of(random, {queue_microarchitecture::parallel, queue_microarchitecture::systolic});
  }
  // Drawn last, and only where validation accepts it.
  if (config.adaptive_limit != 0 && config.microarchitecture == queue_microarchitecture::parallel &&
      random.below(2) == 0) {
    config.adaptation = queue_adaptation::gradual;
  }
  // By a copy of the stream: what is drawn after it stays what it was.
  random_stream copy = random;
  config.arrival_registers =
      config.microarchitecture == queue_microarchitecture::parallel && copy.below(4) == 0;
  return config;
}

std::string to_string(const combining_switch_config& config) {
  std::ostringstream text;
  text << "type " << (config.type == queue_type::a ? 'A' : 'B')
       << (config.microarchitecture == queue_microarchitecture::systolic ? " systolic" : "")
       << (config.coupled ? " coupled " : " decoupled ") << config.slots << " slots, adaptive "
       << config.adaptive_limit
       << (config.adaptation == queue_adaptation::gradual ? " gradual" : "") << ", wait buffer "
       << config.wait_buffer_entries
       << (config.order == match_order::ordered ? ", ordered" : ", oldest") << ", link "
       << config.link_cycles << (config.arrival_registers ? ", arrival registers" : "")
       << ", reverse " << config.reverse_slots << ", forms " << unsigned{config.combining_forms()};
  return text.str();
}

packet random_request(random_stream& random, std::uint32_t modules) {
  packet request;
  const auto module = static_cast<std::uint32_t>(random.below(modules));
  const std::uint64_t row = random.below(8) == 0 ? random.below(100) : random.below(2);
  request.location = location_of(mm_id{module}, row * word_bytes);
  const auto what = random.below(3) == 0 ? operation::fetch_add
                                         : static_cast<operation>(random.below(operation_count));
  const auto operand = [&] { return random.below(4) == 0 ? random.next_u64() : random.below(3); };
  const word_t e = operand();
  request.set_function(function_of(what, e, operand()));
  request.combinable = random.below(20) != 0 ? 1 : 0;
  return request;
}

}  // namespace tributary::testing
