// SPDX-License-Identifier: Apache-2.0
// Traces of requests in files: the text format of docs/formats/trace.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/text_file.h>

namespace tributary {

/// One request of a trace.
struct traced_request {
  /// Cycle from which it is offered, from 1.
  cycle_t cycle = 0;
  /// Processing element that asks.
  std::uint32_t pe = 0;
  /// Byte address of a word, a multiple of 8.
  std::uint64_t address = 0;
  word_function function;
};

constexpr bool operator==(const traced_request& x, const traced_request& y) {
  return x.cycle == y.cycle && x.pe == y.pe && x.address == y.address && x.function == y.function;
}

/// Reads a trace, plain or gzip, into memory, in the order of the file. `map` says which elements
/// (one per module) and addresses exist. Throws `input_error` naming file and line, what is wrong
/// and what is allowed; a trace that ends early is an error.
std::vector<traced_request> read_trace(const std::string& path, const address_map& map);

/// Writes a trace: attached to `offers()` of network interfaces or `node_elements` it records a run
/// of any workload, and a replay of the file in the same machine makes the same events. (Where
/// `interface.policy` is automatic, a replay is unordered: set one_per_word to replay programs that
/// have several references to one word outstanding.)
///
/// The file appears under its name by `finish`, whole or not at all; gzip if it ends in ".gz".
/// Every member throws `input_error` for a file that cannot be written.
class trace_writer final : public observer<offered_request> {
 public:
  explicit trace_writer(const std::string& path);

  void write(const traced_request& request);
  void on_event(const offered_request& offered) override;

  /// Ends the trace with its number of requests. `partial`: the run was interrupted, which a
  /// comment in the file says; what was recorded replays all the same.
  void finish(bool partial = false);

  std::uint64_t requests() const { return requests_; }

 private:
  text_writer file_;
  std::uint64_t requests_ = 0;
};

}  // namespace tributary
