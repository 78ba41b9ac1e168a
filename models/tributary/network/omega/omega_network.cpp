// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/omega_network.h>

#include <algorithm>
#include <array>
#include <utility>

#include <tributary/network/omega/switch_selection.h>
#include <tributary/sim/error.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary {

unsigned omega_network_config::stages() const { return log2_of(processing_elements); }

void omega_network_config::bind(parameter_set& parameters) {
  parameters.add("processing_elements", processing_elements, interval<std::uint32_t>{2, 65536},
                 "elements", "Processing elements, a power of two, and as many memory modules.");
  switches.bind(parameters);
  parameters.add("rtl", rtl,
                 "Which switches are verilated RTL instead of the model: none, all, \"stage S\", "
                 "\"stage S switch I\", or a list of these with commas; stage 0 is that of the "
                 "processing elements.");
}

void omega_network_config::validate() const {
  if (processing_elements < 2 || processing_elements > 65536) {
    throw configuration_error({"network.processing_elements", "",
                               std::to_string(processing_elements) + " is out of range",
                               "a power of two from 2 to 65536", "choose a size in the range"});
  }
  if ((processing_elements & (processing_elements - 1)) != 0) {
    std::uint32_t below = 2;
    while (2 * below < processing_elements) below *= 2;
    throw configuration_error(
        {"network.processing_elements", "",
         std::to_string(processing_elements) + " is not a power of two",
         "a power of two from 2 to 65536",
         "use " + std::to_string(below) + " or " + std::to_string(2 * below)});
  }
  switches.validate();
  select_switches("network.rtl", rtl, stages(), processing_elements / 2);
}

std::unique_ptr<switch_implementation> omega_network_config::make_replaced(
    const switch_place& place) const {
  if (!make_switch) {
    throw configuration_error(
        {"network.rtl", "", "\"" + rtl + "\", but nothing here makes other switches", "none",
         "build with Verilator (Debian: verilator), or set omega_network_config::make_switch"});
  }
  return make_switch(switches, static_cast<unsigned>(stages() - 1 - place.stage), place);
}

omega_network::omega_network(const omega_network_config& config)
    : config_((config.validate(), config)),
      replaced_(config.processing_elements / 2),
      sink_ready_(config.processing_elements, 1) {
  const unsigned k = config_.stages();
  columns_.reserve(k);
  for (unsigned stage = 0; stage < k; ++stage) {
    columns_.emplace_back(config_.switches, k - 1 - stage, config_.processing_elements / 2);
  }
  leaving_.resize(k);
  for (const switch_place& place : select_switches("network.rtl", config_.rtl, k, switches())) {
    replace(place);
  }
}

void omega_network::replace(const switch_place& place) {
  const auto route_bit = static_cast<unsigned>(stages() - 1 - place.stage);
  replaced_.add(place, config_.make_replaced(place),
                entering_traffic(config_.switches.arrival_registers),
                switch_levels(config_.switches, route_bit));
  publish(replaced_.list().back());
}

void omega_network::normalize() {
  const partner_pool before = std::exchange(partners_, {});
  for (switch_column& column : columns_) {
    column.move_partners({0, lines()}, before, partners_);
    column.normalize();
  }
}

void omega_network::publish(const replaced_switch& each) {
  const switch_implementation& implementation = *each.implementation;
  columns_[each.place.stage].publish(
      each.place.index, {implementation.request_ready(0), implementation.request_ready(1)},
      {implementation.reply_ready(0), implementation.reply_ready(1)});
}

void omega_network::depart(const std::uint8_t* memory_ready) {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    columns_[stage].depart(request_ready_behind(stage, memory_ready), reply_ready_before(stage),
                           leaving_[stage]);
  }
  for (replaced_switch& each : replaced_.list()) depart(each, memory_ready);
}

void omega_network::depart(replaced_switch& each, const std::uint8_t* memory_ready) {
  const auto [stage, index] = each.place;
  const std::uint8_t* const requests = request_ready_behind(stage, memory_ready) + 2 * index;
  const std::uint8_t* const replies = reply_ready_before(stage) + index;
  std::array<std::uint8_t, 2> next{requests[0], requests[1]};
  if (stage + 1 == columns_.size()) {
    // A memory module takes requests or does not, by whatever output of a block behind.
    for (std::uint8_t& ready : next) ready = ready != 0 ? 3 : 0;
  }
  each.leaving = each.implementation->depart(next, {replies[0] != 0, replies[switches()] != 0});
  for (std::size_t i = 0; i < 2; ++i) {
    leaving_[stage].requests[2 * index + i] =
        each.leaving.requests[i] ? switch_departures::first_queue : std::uint8_t{0};
    leaving_[stage].replies[i * switches() + index] = each.leaving.replies[i] ? 1 : 0;
  }
  columns_[stage].make_active(index);
}

void omega_network::advance() {
  for (switch_column& column : columns_) column.advance_links();
}

void omega_network::count(replaced_switch& each, const switch_traffic& entered,
                          const switch_activity& activity) {
  each.levels.note(each.leaving, entered, activity);
  columns_[each.place.stage].count(each.leaving, entered, activity, each.levels.wait_buffer_peak());
}

std::size_t omega_network::fullest_queue(std::size_t stage) const {
  const combining_queue& queues = columns_[stage].queues();
  std::size_t most = 0;
  for (std::size_t i = 0; i < queues.count(); ++i) most = std::max(most, queues.size(i));
  for (const replaced_switch& each : replaced_.list()) {
    if (each.place.stage == stage) most = std::max(most, each.levels.fullest_queue());
  }
  return most;
}

std::size_t omega_network::fullest_wait_buffer(std::size_t stage) const {
  const wait_buffer& buffers = columns_[stage].wait_buffers();
  std::size_t most = 0;
  for (std::size_t i = 0; i < buffers.count(); ++i) most = std::max(most, buffers.size(i));
  for (const replaced_switch& each : replaced_.list()) {
    if (each.place.stage == stage) most = std::max(most, each.levels.fullest_wait_buffer());
  }
  return most;
}

bool omega_network::idle() const {
  const auto& replaced = replaced_.list();
  return std::all_of(columns_.begin(), columns_.end(),
                     [](const switch_column& column) { return column.idle(); }) &&
         std::all_of(replaced.begin(), replaced.end(),
                     [](const replaced_switch& each) { return each.implementation->idle(); });
}

void omega_network::reset_statistics() {
  for (switch_column& column : columns_) column.reset_counters();
}

void omega_network::report(statistics_group& group) const {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    columns_[stage].report(group.group("stage").group(std::to_string(stage)));
  }
}

bool operator==(const omega_network& x, const omega_network& y) {
  if (x.columns_.size() != y.columns_.size()) return false;
  if (!x.replaced_.empty() || !y.replaced_.empty()) return false;
  for (std::size_t stage = 0; stage < x.columns_.size(); ++stage) {
    if (!x.columns_[stage].equals(x.partners_, y.columns_[stage], y.partners_)) return false;
  }
  return true;
}

}  // namespace tributary
