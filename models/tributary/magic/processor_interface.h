// SPDX-License-Identifier: Apache-2.0
// The controller's side of the processor: uncached loads and stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/magic/node_event.h>
#include <tributary/magic/outbox.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Where a range of the processor's addresses leads, and what its pages say of an access to it
/// (FLASH 3.1, 4.1.1).
struct address_window {
  std::uint64_t base = 0;    ///< of the processor's addresses, a multiple of 8
  std::uint64_t size = 0;    ///< bytes, a multiple of 8
  std::uint64_t target = 0;  ///< where `base` leads: 40 bits, node, space and offset
  bool own_node = false;     ///< the node of `target` is this one, whatever it says
  std::uint32_t flavor = 0;
  std::uint32_t process = 0;

  void bind(parameter_set& parameters);
};

/// Configuration of the processor interface.
struct processor_interface_config {
  std::uint32_t outstanding = 4;
  std::uint32_t queue = 8;
  std::uint32_t bus = 1;
  std::uint32_t inbound = 1;
  std::uint32_t outbound = 4;
  /// None: the processor's addresses are the machine's, of flavor 0 and process 0.
  std::vector<address_window> windows;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for windows that overlap or do not fit the layout.
  void validate(const address_layout& layout, std::uint32_t nodes) const;
};

/// What the processor asks for.
struct uncached_access {
  bool write = false;
  std::uint64_t address = 0;  ///< the processor's own, before any window
  std::uint32_t size = 8;     ///< bytes
  word_t value = 0;           ///< of a write
};

/// The processor, or what stands for it. Called in the cycle `now`; it may ask again at once.
class processor_listener {
 public:
  /// A read has got its value; the interface has taken a write, value 0.
  virtual void completed(std::uint8_t tag, word_t value, cycle_t now) = 0;
  /// After `can_take` was false it is true.
  virtual void room(cycle_t now) = 0;

 protected:
  ~processor_listener() = default;
};

/// Uncached accesses of one processor, in its order (FLASH 2.2.1, 2.3.3).
///
/// Each becomes a message of common_type::uncached_read or uncached_write with origin processor,
/// which the inbox finds `bus` + `inbound` cycles later. A write carries its doubleword as word 0
/// of a data buffer, which it may have to wait for. It is posted: complete `bus` cycles after it
/// was asked for, but outstanding until the inbox takes it. A read is outstanding until its answer
/// has reached the processor.
class processor_interface final : public block,
                                  public inbox_source,
                                  public answer_outlet,
                                  public buffer_listener,
                                  private timed_block {
 public:
  /// References must outlive it; it becomes a listener of `buffers`. `nodes`: of the machine.
  /// Throws `configuration_error` for values out of range.
  processor_interface(const processor_interface_config& config, agenda& when,
                      const address_layout& layout, node_id here, std::uint32_t nodes,
                      data_buffers& buffers);

  const processor_interface_config& config() const { return config_; }

  /// Who is told of completions; null for nobody.
  void set_listener(processor_listener* who) { listener_ = who; }
  /// Who is told whenever `front` may have changed: the inbox.
  void tell(selector& who) { selector_ = &who; }
  void set_observer(observer<node_event>* who) { observer_ = who; }

  /// Whether another access may be asked for in the current cycle.
  bool can_take() const;
  /// Takes an access in the current cycle and returns its tag. Throws `simulation_error` if
  /// `can_take` is false, if it is not of 8 bytes at a multiple of 8, or outside every window.
  std::uint8_t request(const uncached_access& what, cycle_t now);

  /// The message as which an access would come to the inbox, without tag and payload; throws as
  /// `request` does.
  message translate(const uncached_access& what) const;

  // inbox_source
  const message* front(cycle_t now) override;
  message take(cycle_t now) override;

  /// Ends an outstanding read; it is complete for the processor `outbound` cycles after `from`.
  /// Throws `simulation_error` unless the inbox took a read with this tag, and this is its answer.
  void answer(std::uint8_t tag, word_t value, cycle_t from) override;

  // buffer_listener
  void buffer_freed(cycle_t now) override;

  const char* name() const override { return "processor_interface"; }
  /// Whether nothing is outstanding.
  bool idle() const override { return outstanding_ == 0; }
  std::uint32_t outstanding() const { return outstanding_; }

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class stage : std::uint8_t { free, queued, handled, answered };
  struct access {
    stage at = stage::free;
    bool write = false;
    bool has_buffer = false;
    cycle_t asked = 0;
    cycle_t visible = 0;
    word_t value = 0;  // of the write, of the answer
    message what;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(at, write, has_buffer, asked, visible, value, what);
    }
  };

  void wake(cycle_t now, std::uint64_t what) override;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.accesses_, self.queue_, self.outstanding_, self.reads_, self.writes_,
                    self.full_, self.read_latency_, self.outstanding_seen_, self.buffer_wait_,
                    self.queue_wait_);
  }
  bool allocate(cycle_t now);
  void observe(node_event_kind kind, const access& about, cycle_t now, cycle_t last) const;
  void notify_change(cycle_t now) const;
  [[noreturn]] void fail(const std::string& problem) const;

  processor_interface_config config_;
  agenda& agenda_;
  address_layout layout_;
  node_id here_;
  std::uint32_t nodes_;
  data_buffers& buffers_;
  processor_listener* listener_ = nullptr;
  selector* selector_ = nullptr;
  observer<node_event>* observer_ = nullptr;

  std::vector<access> accesses_;  // by tag
  fifo<std::uint8_t> queue_;      // tags, in order
  std::uint32_t outstanding_ = 0;

  counter reads_;
  counter writes_;
  counter full_;
  average read_latency_;
  average outstanding_seen_;
  average buffer_wait_;
  average queue_wait_;
};

}  // namespace tributary
