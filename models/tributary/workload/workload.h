// SPDX-License-Identifier: Apache-2.0
// What processors do, as the platform sees it.
#pragma once

#include <string>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/nic/network_interface.h>

namespace tributary {

class statistics_group;

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

  /// Its state as bytes, and back into a workload made from the same configuration.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
};

}  // namespace tributary
