// SPDX-License-Identifier: Apache-2.0
// What stands before a machine's state in a checkpoint, so that no other machine takes it.
#pragma once

#include <cstdint>
#include <string>

namespace tributary {

/// The state of a machine behind its layout, its parameters, its seed and a sum that notices
/// damage. `layout` names the kind of machine and the version of what `state` holds.
std::string seal_checkpoint(const std::string& layout, const std::string& parameters,
                            std::uint64_t seed, const std::string& state);

/// The state back. Throws `input_error` if it is damaged or cut short, or of another layout,
/// parameters or seed.
std::string open_checkpoint(const std::string& layout, const std::string& parameters,
                            std::uint64_t seed, const std::string& sealed);

/// Notices damage: the 64-bit FNV-1a hash.
std::uint64_t checksum(const std::string& bytes);

}  // namespace tributary
