// SPDX-License-Identifier: Apache-2.0
// The adapter from a block of a node to a module, and how such modules reach each other.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <tributary/systemc/make_or_report.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A plain interface as SystemC's ports and exports know interfaces. Calls go to what `reach`
/// returns, which is the same as long as the module lives, so it may be kept.
template <class Interface>
class exported : public virtual sc_core::sc_interface {
 public:
  virtual Interface& reach() = 0;
};

/// By which a block calls a neighbour.
template <class Interface>
using block_port = sc_core::sc_port<exported<Interface>>;

/// What a block offers its neighbours: `what()`, which is called whenever somebody reaches for it,
/// so the interface need not be there yet when ports are bound.
template <class Interface>
class block_export : public sc_core::sc_export<exported<Interface>> {
 public:
  block_export(const char* name, std::function<Interface&()> what)
      : sc_core::sc_export<exported<Interface>>(name), what_(std::move(what)) {
    this->bind(what_);
  }

 private:
  class offer final : public exported<Interface> {
   public:
    explicit offer(std::function<Interface&()> what) : what_(std::move(what)) {}
    Interface& reach() override { return what_(); }

   private:
    std::function<Interface&()> what_;
  };

  offer what_;
};

/// A module around the core of one block; it adds no behaviour, and has statistics and
/// observers by `core()`.
///
/// A core knows its neighbours from the beginning, so it is made when somebody asks for it, and at
/// the end of elaboration at the latest; the ports must be bound then. Neighbours that know each
/// other are told afterwards, by `join`. Base is an `sc_module`, with the ports and exports if
/// other modules have the same.
template <class Core, class Base = sc_core::sc_module>
class block_module : public Base {
 public:
  /// What the core refuses is reported as `messages::configuration`.
  Core& core() {
    if (core_ == nullptr) {
      core_ = make_or_report(*this, messages::configuration, [&] { return make(); });
    }
    return *core_;
  }

  /// Makes the core, and tells it of the neighbours that it does not know from the beginning.
  void join() {
    if (joined_) return;
    joined_ = true;
    connect(core());
  }

 protected:
  explicit block_module(const sc_core::sc_module_name& name) : Base(name) {}

  /// The core, with the neighbours to whom the ports lead.
  virtual std::unique_ptr<Core> make() = 0;
  virtual void connect(Core&) {}

  void end_of_elaboration() override { join(); }

 private:
  std::unique_ptr<Core> core_;
  bool joined_ = false;
};

}  // namespace tributary
