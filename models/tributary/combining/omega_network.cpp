// SPDX-License-Identifier: Apache-2.0
#include <tributary/combining/omega_network.h>

#include <string>

#include <tributary/base/error.h>
#include <tributary/base/log2.h>
#include <tributary/base/parameters.h>
#include <tributary/base/statistics.h>

namespace tributary {

unsigned omega_network_config::stages() const { return log2_of(processing_elements); }

void omega_network_config::bind(parameter_set& parameters) {
  parameters.add("processing_elements", processing_elements, interval<std::uint32_t>{2, 65536},
                 "elements", "Processing elements, a power of two, and as many memory modules.");
  switches.bind(parameters);
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
}

omega_network::omega_network(const omega_network_config& config)
    : config_(config), sink_ready_(config.processing_elements, 1) {
  config_.validate();
  const unsigned k = config_.stages();
  columns_.reserve(k);
  for (unsigned stage = 0; stage < k; ++stage) {
    columns_.emplace_back(config_.switches, k - 1 - stage, config_.processing_elements / 2);
  }
  leaving_.resize(k);
}

void omega_network::depart(const std::uint8_t* memory_ready) {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    const std::uint8_t* next_request_ready =
        stage + 1 == columns_.size() ? memory_ready : columns_[stage + 1].request_ready().data();
    const std::uint8_t* next_reply_ready =
        stage == 0 ? sink_ready_.data() : columns_[stage - 1].reply_ready().data();
    columns_[stage].depart(next_request_ready, next_reply_ready, leaving_[stage]);
  }
}

void omega_network::advance() {
  for (combining_switch& column : columns_) column.advance_links();
}

bool omega_network::idle() const {
  for (const combining_switch& column : columns_) {
    if (!column.idle()) return false;
  }
  return true;
}

void omega_network::reset_statistics() {
  for (combining_switch& column : columns_) column.reset_counters();
}

void omega_network::report(statistics_group& group) const {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    columns_[stage].report(group.group("stage").group(std::to_string(stage)));
  }
}

bool operator==(const omega_network& x, const omega_network& y) {
  if (x.columns_.size() != y.columns_.size()) return false;
  for (std::size_t stage = 0; stage < x.columns_.size(); ++stage) {
    if (!x.columns_[stage].equals(x.partners_, y.columns_[stage], y.partners_)) return false;
  }
  return true;
}

}  // namespace tributary
