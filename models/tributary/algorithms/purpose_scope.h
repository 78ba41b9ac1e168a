// SPDX-License-Identifier: Apache-2.0
// What the references of a part of a program are for.
#pragma once

#include <cstdint>

#include <tributary/processor/program.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

/// Sets what references are for, as long as it lives.
class purpose_scope {
 public:
  purpose_scope(program_context& context, communication_purpose purpose)
      : context_(context), before_(context.purpose()) {
    context.set_purpose(static_cast<std::uint8_t>(purpose));
  }
  ~purpose_scope() { context_.set_purpose(before_); }
  purpose_scope(const purpose_scope&) = delete;
  purpose_scope& operator=(const purpose_scope&) = delete;

 private:
  program_context& context_;
  std::uint8_t before_;
};

}  // namespace tributary
