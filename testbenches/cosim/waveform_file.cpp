// SPDX-License-Identifier: Apache-2.0
#include "waveform_file.h"

#include <iterator>
#include <memory>
#include <stdexcept>

#include <gtkwave/fstapi.h>

namespace tributary::testing {
namespace {

struct closer {
  void operator()(void* reader) const { fstReaderClose(reader); }
};

std::string without_range(const std::string& name) { return name.substr(0, name.find(' ')); }

}  // namespace

waveform_file::waveform_file(const std::string& path) {
  const std::unique_ptr<void, closer> reader(fstReaderOpen(path.c_str()));
  if (!reader) throw std::runtime_error(path + " is no waveform in FST");
  std::vector<std::string> scopes{""};
  while (const fstHier* const next = fstReaderIterateHier(reader.get())) {
    if (next->htyp == FST_HT_SCOPE) {
      scopes.push_back(scopes.back() + next->u.scope.name + ".");
    } else if (next->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
    } else if (next->htyp == FST_HT_VAR) {
      signals_[scopes.back() + without_range(next->u.var.name)] = next->u.var.handle;
    }
  }
  fstReaderSetFacProcessMaskAll(reader.get());
  const auto keep = [](void* self, std::uint64_t time, fstHandle signal,
                       const unsigned char* value) {
    auto& file = *static_cast<waveform_file*>(self);
    file.values_[signal][time] = reinterpret_cast<const char*>(value);
  };
  fstReaderIterBlocks(reader.get(), keep, this, nullptr);
  end_ = fstReaderGetEndTime(reader.get());
}

std::vector<std::string> waveform_file::names() const {
  std::vector<std::string> all;
  for (const auto& signal : signals_) all.push_back(signal.first);
  return all;
}

std::uint64_t waveform_file::at(const std::string& signal, std::uint64_t time, unsigned first,
                                unsigned width) const {
  const auto found = signals_.find(signal);
  if (found == signals_.end()) throw std::runtime_error("there is no signal " + signal);
  const changes& values = values_.at(found->second);
  const auto after = values.upper_bound(time);
  if (after == values.begin()) {
    throw std::runtime_error(signal + " has no value at time " + std::to_string(time));
  }
  const std::string& bits = std::prev(after)->second;
  if (width == 0 || width > 64 || first + width > bits.size()) {
    throw std::runtime_error(signal + " has " + std::to_string(bits.size()) + " bits only");
  }
  return std::stoull(bits.substr(bits.size() - first - width, width), nullptr, 2);
}

}  // namespace tributary::testing
