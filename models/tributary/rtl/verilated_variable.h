// SPDX-License-Identifier: Apache-2.0
// Variables inside verilated models, found by name: those that rtl/probe makes public.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tributary/rtl/verilator_runtime.h>
// verilated.h first.
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <tributary/rtl/verilated_bits.h>

namespace tributary {

/// The scope of a model whose hierarchical name ends in ".`end`"; null if there is none.
inline const VerilatedScope* find_scope(VerilatedContext& context, const std::string& end) {
  const std::string wanted = "." + end;
  for (const auto& [name, scope] : *context.scopeNameMap()) {
    const std::string_view here = name;
    if (here.size() >= wanted.size() && here.substr(here.size() - wanted.size()) == wanted) {
      return scope;
    }
  }
  return nullptr;
}

/// A public variable of a scope, to read.
class verilated_variable {
 public:
  verilated_variable() = default;
  /// Not there if `scope` is null or has no such variable.
  verilated_variable(const VerilatedScope* scope, const char* name)
      : variable_(scope == nullptr ? nullptr : scope->varFind(name)) {}

  explicit operator bool() const { return variable_ != nullptr; }

  /// `width` (1 to 64) bits from bit `first` on. Precondition: it is there.
  std::uint64_t bits(unsigned first, unsigned width) const {
    switch (variable_->vltype()) {
      case VLVT_UINT8:
        return of<CData>(first, width);
      case VLVT_UINT16:
        return of<SData>(first, width);
      case VLVT_UINT32:
        return of<IData>(first, width);
      case VLVT_UINT64:
        return of<QData>(first, width);
      default:
        return tributary::bits(wide{static_cast<const EData*>(data())}, first, width);
    }
  }

 private:
  /// Words, as `bits` wants to see them.
  struct wide {
    const EData* words;
    EData at(unsigned i) const { return words[i]; }
  };

  const void* data() const { return variable_->datap(); }
  template <class Data>
  std::uint64_t of(unsigned first, unsigned width) const {
    return tributary::bits(*static_cast<const Data*>(data()), first, width);
  }

  const VerilatedVar* variable_ = nullptr;
};

/// The same, as of a port.
inline std::uint64_t bits(const verilated_variable& variable, unsigned first, unsigned width) {
  return variable.bits(first, width);
}

}  // namespace tributary
