// SPDX-License-Identifier: Apache-2.0
// Which payloads serve a transaction.
#pragma once

#include <tributary/systemc/systemc.h>

namespace tributary {

/// On a payload while its transaction is under way at a socket of this library, so that it begins
/// no other one there or elsewhere. It means nothing to others and is not copied.
class under_way_mark final : public tlm::tlm_extension<under_way_mark> {
 public:
  static void set(tlm::tlm_generic_payload& payload) { payload.set_extension(&the_mark()); }
  static void clear(tlm::tlm_generic_payload& payload) { payload.clear_extension(&the_mark()); }
  static bool is_on(const tlm::tlm_generic_payload& payload) {
    return payload.get_extension<under_way_mark>() != nullptr;
  }

  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base&) override {}
  void free() override {}  // one for all

 private:
  static under_way_mark& the_mark() {
    static under_way_mark mark;
    return mark;
  }
};

}  // namespace tributary
