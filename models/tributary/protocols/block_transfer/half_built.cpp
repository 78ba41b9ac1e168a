// SPDX-License-Identifier: Apache-2.0
// Physical addresses of commands that are being built, when translations change (FLASH 4.2.2).
#include <tributary/protocols/block_transfer/block_transfer.h>

namespace tributary {

namespace {
using result = block_transfer_result;
}  // namespace

static_assert(transfer_field::most_addresses <= pages_in_use::places);

bool block_transfer_protocol::invalidates() const {
  return kernel_ != nullptr && kernel_->half_built() == half_built_commands::invalidate;
}

/// What the shadow mapping is written with is the virtual address (FLASH 4.2.2).
void block_transfer_protocol::list_address(handler_context& context, const transfer_record& record,
                                           std::uint64_t number) const {
  if (!invalidates()) return;
  kernel_->in_use().add(context, number, record.address() + transfer_field::address(number).byte,
                        context.word(context.arrived().data, 0));
}

void block_transfer_protocol::unlist_addresses(handler_context& context,
                                               const transfer_record& record) const {
  if (!invalidates()) return;
  const std::uint64_t count = record.get(transfer_field::written);
  for (std::uint64_t i = 0; i < count; ++i) kernel_->in_use().remove(context, i);
}

/// Whether a change waits for transfers to end.
bool block_transfer_protocol::translations_change(handler_context& context) const {
  return kernel_ != nullptr && kernel_->held().refuses(context);
}

/// Whether any address may be obsolete that was logged since the sequence began, or a change waits.
bool block_transfer_protocol::is_obsolete(handler_context& context,
                                          const transfer_record& record) const {
  if (kernel_ == nullptr) return false;
  return translations_change(context) ||
         kernel_->held().changes(context) != record.get(transfer_field::changes);
}

/// Looks for addresses that a change has made obsolete, and gets them anew.
block_transfer_result block_transfer_protocol::renew(handler_context& context,
                                                     transfer_record& record) const {
  if (!invalidates()) return result::accepted;
  const std::uint64_t count = record.get(transfer_field::written);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!kernel_->in_use().is_obsolete(context, i, record.logged(i))) continue;
    const result renewed = translate_again(context, record, i);
    if (renewed != result::accepted) return renewed;
  }
  return result::accepted;
}

/// Where the process gave no virtual address, it has to name all addresses once more.
block_transfer_result block_transfer_protocol::translate_again(handler_context& context,
                                                               transfer_record& record,
                                                               std::uint64_t number) const {
  const std::uint64_t named = kernel_->in_use().virtual_address(context, number);
  if (named == 0) return result::interrupted;
  const std::uint64_t length = record.get(transfer_field::length);
  // The source comes first, so that it is renewed when its further pages are.
  const std::uint64_t source_pages =
      block_transfer_command::pages(record.logged(0), length, config_.page_bytes);
  const bool reads = length != 0 && (number == 0 || (number >= 3 && number < 2 + source_pages));
  return translate_address(context, record, named, number, !reads);
}

}  // namespace tributary
