// SPDX-License-Identifier: Apache-2.0
// Reads waveforms in FST, by the library that Verilator writes them with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tributary::testing {

/// All signals of a file. A signal is named by its scopes, with dots, and without its range:
/// "improved.request_valid_o"; a field of an element of a port is one of its own:
/// "improved.request_o[1].id".
class waveform_file {
 public:
  /// Throws `std::runtime_error` if it cannot be read.
  explicit waveform_file(const std::string& path);

  std::vector<std::string> names() const;
  bool has(const std::string& signal) const { return signals_.count(signal) != 0; }
  /// The time of the last change.
  std::uint64_t end() const { return end_; }

  /// `width` (1 to 64) bits from bit `first` on of a signal at a time. Throws `std::runtime_error`
  /// for a signal that is not there, has no value yet or not these bits.
  std::uint64_t at(const std::string& signal, std::uint64_t time, unsigned first,
                   unsigned width) const;

 private:
  using changes = std::map<std::uint64_t, std::string>;  // by time: bits, the highest first

  std::map<std::string, std::uint32_t> signals_;
  std::map<std::uint32_t, changes> values_;
  std::uint64_t end_ = 0;
};

}  // namespace tributary::testing
