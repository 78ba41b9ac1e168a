// SPDX-License-Identifier: Apache-2.0
// Queues of the inbox whose entries name their handler.
#pragma once

#include <tributary/controller/handler_request.h>
#include <tributary/magic/dispatch.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// What selects messages; told whenever something changed that may let one be selected.
class selector {
 public:
  /// A message has come to an input, or room or a buffer has become free.
  virtual void look(cycle_t now) = 0;

 protected:
  ~selector() = default;
};

/// What a selector depends on.
class selector_cause {
 public:
  /// Who is to be told whenever an input, or room to send, may have changed: the inbox.
  void tell(selector& listener) { selector_ = &listener; }

 protected:
  ~selector_cause() = default;
  void notify_change(cycle_t now) const {
    if (selector_ != nullptr) selector_->look(now);
  }

 private:
  selector* selector_ = nullptr;
};

/// A queue whose entries name their handler, so that they bypass the jump table (FLASH 2.3.5).
class direct_source : public inbox_source, public selector_cause {
 public:
  /// The handler of the message that `front` shows; only while it shows one.
  virtual handler_id front_handler() const = 0;

 protected:
  ~direct_source() = default;
};

}  // namespace tributary
