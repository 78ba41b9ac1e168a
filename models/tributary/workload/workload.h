// SPDX-License-Identifier: Apache-2.0
// What processors do, as the platform sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/base/observer.h>
#include <tributary/nic/network_interface.h>

namespace tributary {

class statistics_group;

/// What a program of an element did from one cycle to another, as it names it.
struct program_interval {
  std::uint32_t element = 0;
  std::string_view name;  ///< valid as long as the workload
  cycle_t first = 0;
  cycle_t last = 0;
};

/// A workload offers requests to the network interfaces and takes their responses, one call each a
/// cycle.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  /// Offers the requests of cycle `now`.
  virtual void advance(cycle_t now, network_interface& ports) = 0;

  /// Takes the responses that were delivered in cycle `now`, local ones last.
  virtual void deliver(cycle_t now, const std::vector<memory_response>& responses) = 0;

  /// Whether it will never offer a request again.
  virtual bool finished() const = 0;

  /// Lets it offer no request from here on, so that the machine drains.
  virtual void stop() = 0;

  virtual void reset_statistics() {}
  virtual void report(statistics_group& group) const = 0;

  /// Told of every interval as it ends; null if the workload has none.
  virtual observer_list<program_interval>* intervals() { return nullptr; }

  /// Its state as bytes, and back into a workload made from the same configuration.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
};

}  // namespace tributary
