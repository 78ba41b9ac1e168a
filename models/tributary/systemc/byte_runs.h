// SPDX-License-Identifier: Apache-2.0
// A read or write as the bytes that each memory module holds of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/systemc/payload_checks.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Bytes of a transaction that follow each other in one memory module.
struct byte_run {
  mm_id module;
  std::uint64_t address;
  unsigned in_data;  ///< first byte within the data array
  unsigned length;   ///< in bytes

  /// Words of 8 bytes that it touches.
  std::uint64_t words() const {
    return (address % word_bytes + length + word_bytes - 1) / word_bytes;
  }
};

/// Bytes from `address`, which is in the region, to the end of those that follow each other in its
/// module: the rest of a word where words are spread, of the share of a module elsewhere.
inline std::uint64_t run_from(const address_map& map, const address_region& region,
                              std::uint64_t address) {
  const bool spread =
      region.mapping == region_mapping::interleaved || region.mapping == region_mapping::hashed;
  if (spread) return word_bytes - address % word_bytes;
  return map.rows(region) * word_bytes - map.row_of(region, address) * word_bytes -
         address % word_bytes;
}

/// `visit(run)` for each run of a read or write, whose bytes all lie in regions: in the order of
/// the data array, each as long as module and streaming width allow.
template <class Visit>
void for_each_run(const tlm::tlm_generic_payload& payload, const address_map& map, Visit&& visit) {
  const unsigned length = payload.get_data_length();
  const unsigned width = streaming_width_of(payload);
  unsigned done = 0;
  while (done < length) {
    const std::uint64_t address = payload.get_address() + done % width;
    const address_region& region = *map.region_of(address);
    const unsigned left = std::min(width - done % width, length - done);
    const auto size =
        static_cast<unsigned>(std::min<std::uint64_t>(run_from(map, region, address), left));
    visit(byte_run{map.module_of(region, address), address, done, size});
    done += size;
  }
}

/// Byte enables of one run of a transaction, which start with the run's first byte.
class run_enables {
 public:
  run_enables(const tlm::tlm_generic_payload& payload, const byte_run& run) {
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) return;
    for (unsigned i = 0; i < run.length; ++i) {
      bytes_.push_back(enables[(run.in_data + i) % payload.get_byte_enable_length()]);
    }
    const auto enabled = std::count(bytes_.begin(), bytes_.end(), TLM_BYTE_ENABLED);
    none_ = enabled == 0;
    if (enabled == static_cast<std::ptrdiff_t>(run.length)) bytes_.clear();
  }

  bool none() const { return none_; }
  /// Gives them to the payload of the run, for which they must live; nothing where all are enabled.
  void set(tlm::tlm_generic_payload& payload) {
    if (bytes_.empty()) return;
    payload.set_byte_enable_ptr(bytes_.data());
    payload.set_byte_enable_length(static_cast<unsigned>(bytes_.size()));
  }

 private:
  std::vector<unsigned char> bytes_;
  bool none_ = false;
};

}  // namespace tributary
