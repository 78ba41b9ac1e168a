// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/channel_plan.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_channels(const std::string& problem, const std::string& allowed,
                                  const std::string& advice) {
  throw configuration_error({"network.channels.number", "", problem, allowed, advice});
}

std::string channels_text(std::uint32_t channels) {
  return std::to_string(channels) + (channels == 1 ? " virtual channel" : " virtual channels");
}

const channel_needs& checked_channels(const channel_needs& needs) {
  if (needs.channels == 0 || needs.channels > most_virtual_channels) {
    refuse_channels(channels_text(needs.channels) + " of a link",
                    "1 to " + std::to_string(most_virtual_channels),
                    "choose a number in the range");
  }
  const std::uint32_t networks = needs.virtual_networks;
  if (needs.channels % networks != 0) {
    refuse_channels(
        channels_text(needs.channels) + " for " + std::to_string(networks) + " lanes of their own",
        "a multiple of " + std::to_string(networks), "give each lane as many channels");
  }
  const std::uint32_t share = needs.channels / networks;
  const std::string whose = networks == 1 ? " of a link" : " of a lane on a link";
  if (share < needs.classes) {
    refuse_channels(channels_text(share) + whose + ", and " + needs.table + " routes by " +
                        std::to_string(needs.classes),
                    std::to_string(needs.classes) + " or more",
                    "give the links more virtual channels, or choose another routing");
  }
  if (needs.adaptive && share == needs.classes) {
    refuse_channels(channels_text(share) + whose + ", all of them for the escape, " + needs.table,
                    std::to_string(needs.classes + 1) + " or more",
                    "add a channel for adaptive routing");
  }
  if (!needs.adaptive && share % needs.classes != 0) {
    refuse_channels(channels_text(share) + whose + ", and " + needs.table + " routes by " +
                        std::to_string(needs.classes),
                    "a multiple of " + std::to_string(needs.classes),
                    "give each class of channels as many");
  }
  return needs;
}

}  // namespace

channel_plan::channel_plan(const channel_needs& needs)
    : channels_(checked_channels(needs).channels),
      virtual_networks_(needs.virtual_networks),
      classes_(needs.classes),
      adaptive_(needs.adaptive),
      share_(channels_ / virtual_networks_),
      width_(adaptive_ ? 1 : share_ / classes_) {
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    const std::uint32_t which = channel % share_ / width_;
    class_of_[channel] = static_cast<std::uint8_t>(which < classes_ ? which : adaptive_class);
  }
}

}  // namespace tributary
