// SPDX-License-Identifier: Apache-2.0
// A processor on the node's bus: its cache, its uncached accesses, and what it does step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/cache/cache.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What a processor does for the protocol, one step behind the other: it computes for some cycles,
/// or awaits an access.
struct processor_step {
  enum class action : std::uint8_t {
    spend,
    load,
    store,
    prefetch,  ///< asks for a line, and does not wait for it
    claim,     ///< the same, to write it
    read_device,
    write_device,  ///< until the processor's port has it
    finish_device  ///< until the device has it
  };

  action does = action::spend;
  std::uint64_t at = 0;  ///< byte address on the bus; of `spend`, cycles
  word_t value = 0;      ///< that is stored

  static processor_step spend(std::uint64_t cycles) { return {action::spend, cycles, 0}; }
  static processor_step load(std::uint64_t at) { return {action::load, at, 0}; }
  static processor_step store(std::uint64_t at, word_t value) { return {action::store, at, value}; }
  static processor_step prefetch(std::uint64_t at) { return {action::prefetch, at, 0}; }
  static processor_step claim(std::uint64_t at) { return {action::claim, at, 0}; }
  static processor_step read_device(std::uint64_t at) { return {action::read_device, at, 0}; }
  static processor_step write_device(std::uint64_t at, word_t value) {
    return {action::write_device, at, value};
  }
  static processor_step finish_device(std::uint64_t at, word_t value) {
    return {action::finish_device, at, value};
  }

  TRIBUTARY_STATE(does, at, value);
};
using processor_steps = std::vector<processor_step>;

/// Who is told what a processor has done.
class bus_processor_client {
 public:
  /// The steps that were begun with this tag, and the words that the loads among them found.
  virtual void steps_done(std::uint32_t processor, std::uint64_t tag,
                          const std::vector<word_t>& found, cycle_t now) = 0;
  /// The access of its program.
  virtual void access_done(std::uint32_t processor, word_t value, cycle_t now) = 0;

 protected:
  ~bus_processor_client() = default;
};

/// Has steps of the protocol under way, or an access of its program, or both while that access
/// waits for the protocol.
class bus_processor final : public block, private memory_client, private timed_block {
 public:
  /// References must outlive it. `number`: of the bus' masters too. `name`: "processor.0" and so on
  /// if none is given.
  bus_processor(const cache_config& caches, agenda& time, snooping_bus& bus, std::uint32_t number,
                const std::string& name = "");

  void set_client(bus_processor_client& client) { client_ = &client; }
  const cache& caches() const { return cache_; }
  /// Before the first cycle: a line of memory is in the cache, exclusive.
  void warm(std::uint64_t line, const line_data& words) { cache_.warm(line, words); }

  /// Does steps, behind those that it was given before.
  void run(processor_steps steps, std::uint64_t tag, cycle_t now);
  /// Whether it has steps with the tag to do.
  bool has_job(std::uint64_t tag) const;
  /// Begins an access of the program to memory; none of it may be under way.
  void begin_access(const access& request, cycle_t now);
  bool accesses() const { return accessing_; }
  /// Takes it back.
  void withdraw_access(cycle_t now);

  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return jobs_.empty() && !accessing_ && cache_.idle(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// What it was given, under one tag.
  struct job {
    processor_steps steps;
    std::uint64_t tag = 0;

    TRIBUTARY_STATE(steps, tag);
  };

  TRIBUTARY_STATE(jobs_, next_, found_, accessing_, step_waits_, access_waits_, access_, stepped_);

  void wake(cycle_t now, std::uint64_t tag) override;
  /// Begins the next step, or ends.
  void step(cycle_t now);
  void offer_step(cycle_t now);
  // memory_client, of the cache and of the bus' words.
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  /// The step that is under way; throws `simulation_error` if there is none.
  const processor_step& current() const;

  agenda& agenda_;
  std::uint32_t number_;
  std::string name_;
  processor_port& words_;
  cache cache_;
  bus_processor_client* client_ = nullptr;

  fifo<job> jobs_;        // the first one is under way
  std::size_t next_ = 0;  ///< of its steps
  std::vector<word_t> found_;
  bool accessing_ = false;
  bool step_waits_ = false;    ///< for room at its port
  bool access_waits_ = false;  ///< the same
  access access_;
  counter stepped_;
};

}  // namespace tributary
