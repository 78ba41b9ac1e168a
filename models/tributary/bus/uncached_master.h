// SPDX-License-Identifier: Apache-2.0
// A master of a snooping bus that has no cache: a DMA engine, a simulator of an instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/memory/operation.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// An access to words of one line of memory, or to one word of a device.
struct uncached_access {
  enum class action : std::uint8_t {
    read,
    write,     ///< the bits of `mask`
    operation  ///< `function` on one word, indivisibly
  };

  action does = action::read;
  std::uint64_t address = 0;  ///< of the first word to move, a multiple of 8
  std::uint32_t wanted =
      0;              ///< of a read: bit i for word i of the line; 0 for the one at `address`
  line_data words{};  ///< that are written, by their places in the line
  line_data mask{};   ///< their bits that are
  word_function function;
  std::uint64_t tag = 0;  ///< returned with the answer, for the client's own use

  TRIBUTARY_STATE(does, address, wanted, words, mask, function.kind, function.a, function.b, tag);
};

/// How an access ended.
struct uncached_answer {
  std::uint64_t tag = 0;
  bool refused = false;  ///< a watcher of the bus did not let it pass; nothing was done
  line_data words{};     ///< before the access, by their places in the line; not of a write
};

/// Who is told of accesses; it may offer the next one at once.
class uncached_client {
 public:
  virtual void answered(const uncached_answer& answer, cycle_t now) = 0;

 protected:
  ~uncached_client() = default;
};

/// Accesses of a master without a cache to memory and devices of its bus, coherent with what caches
/// have.
///
/// A read is a `read`, whose line the master does not keep: caches stay as another cache's read
/// leaves them. A write and an operation get the line by `read_exclusive`, so that all others lose
/// it, and write it back changed. A write of a whole line needs no words and is an `upgrade`, which
/// only invalidates, and a write-back. The words go into the write-back buffer, which is snooped,
/// when the write is done; until then its line is under way, so that nobody sees it between the
/// two.
///
/// Accesses begin in the order in which they are offered, as soon as none before it is under way
/// for the same line, and no other write if it is one; they may end in another order.
class uncached_master final : public block,
                              private line_client,
                              private memory_client,
                              private timed_block {
 public:
  /// References must outlive it. `master`: of the bus, with no other client. `outstanding`:
  /// accesses that it takes at a time. `name`: "master.0" by the number if none is given. Throws
  /// `configuration_error` for another number than 1 to `snooping_bus::most_requests`.
  uncached_master(agenda& time, snooping_bus& bus, std::size_t master, std::size_t outstanding,
                  const std::string& name = "");
  uncached_master(const uncached_master&) = delete;
  uncached_master& operator=(const uncached_master&) = delete;

  void set_client(uncached_client& client) { client_ = &client; }

  bool can_take() const { return taken_ < slots_.size(); }
  /// Takes an access in cycle `now`. Throws `simulation_error` while `can_take` is false, and for
  /// an address that is no word of memory or of a device, an operation or a part of a word on a
  /// device.
  void offer(const uncached_access& asked, cycle_t now);

  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return taken_ == 0; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// An access that was taken; its number is the tag on the bus.
  struct slot {
    enum class stage : std::uint8_t { free, waiting, asked, coming };
    stage at = stage::free;
    uncached_access access;
    bool of_device = false;
    std::uint64_t order = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(at, access, of_device, order, since);
  };

  TRIBUTARY_STATE(slots_, taken_, next_order_, reads_, writes_, whole_lines_, operations_, device_,
                  refused_, latency_);

  // timed_block, of reads whose last word comes later than their first
  void wake(cycle_t now, std::uint64_t tag) override;
  // line_client
  void filled(std::uint8_t tag, const line_answer& answer, cycle_t now) override;
  void upgraded(std::uint8_t tag, cycle_t now) override;
  void refused(std::uint8_t tag, cycle_t now) override;
  void room(cycle_t now) override { begin(now); }
  void settled(cycle_t) override {}
  found_line intervene(intervention, std::uint64_t, cycle_t) override { return {}; }
  // memory_client, of words of devices
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t, cycle_t now) override { begin(now); }
  void settled(std::size_t, cycle_t) override {}

  void check_device(const uncached_access& asked) const;
  /// Begins what can begin.
  void begin(cycle_t now);
  bool may_begin(const slot& next) const;
  void ask(slot& next, cycle_t now);
  bool covers_line(const uncached_access& asked) const;
  void write_back(const slot& about, const line_data& words, cycle_t now);
  void end(slot& over, const uncached_answer& answer, cycle_t now);
  std::size_t number_of(const slot& each) const {
    return static_cast<std::size_t>(&each - slots_.data());
  }
  slot& asked_slot(std::size_t number);
  [[noreturn]] void fail(const std::string& problem) const;

  agenda& agenda_;
  snooping_bus& bus_;
  line_size line_;
  line_port& lines_;
  processor_port& words_;
  std::string name_;
  uncached_client* client_ = nullptr;

  std::vector<slot> slots_;
  std::size_t taken_ = 0;
  std::uint64_t next_order_ = 0;
  counter reads_;
  counter writes_;
  counter whole_lines_;
  counter operations_;
  counter device_;
  counter refused_;
  average latency_;
};

}  // namespace tributary
