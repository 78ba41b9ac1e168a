// SPDX-License-Identifier: Apache-2.0
// What a program on the data-parallel run-time is: the same function of each node's side of it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <tributary/algorithms/data_parallel.h>

namespace tributary::data_parallel_programs {

/// A program, for a number of nodes.
class kernel {
 public:
  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;
  virtual ~kernel() = default;

  /// Bytes of data that it needs on each node.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// What one node does. Throws `simulation_error` if the data are not what they should be.
  virtual void run(data_parallel& here) = 0;

 protected:
  explicit kernel(std::uint64_t data_bytes) : data_bytes_(data_bytes) {}

 private:
  std::uint64_t data_bytes_;
};

/// A program of real data. `Process` is what one node does: it has `run()`, `compare(expected)`
/// and, of a `Config`, the static function `expected`: what one processor computes.
template <class Process, class Config>
class compared_kernel final : public kernel {
 public:
  compared_kernel(const Config& config, std::uint64_t data_bytes)
      : kernel(data_bytes), config_(config) {}

  void run(data_parallel& here) override {
    Process process(here, config_);
    process.run();
    if (!expected_) expected_ = Process::expected(config_);
    process.compare(*expected_);
  }

 private:
  Config config_;
  std::optional<decltype(Process::expected(std::declval<const Config&>()))> expected_;
};

/// A generator. `Process` checks the data that it moves while it runs.
template <class Process, class Config>
class generator_kernel final : public kernel {
 public:
  generator_kernel(const Config& config, std::uint64_t data_bytes)
      : kernel(data_bytes), config_(config) {}

  void run(data_parallel& here) override { Process(here, config_).run(); }

 private:
  Config config_;
};

}  // namespace tributary::data_parallel_programs
