// SPDX-License-Identifier: Apache-2.0
// The tables that a run file asks for, with published numbers next to the measured ones.
#pragma once

#include <string>
#include <vector>

#include "experiment.h"
#include "published.h"
#include "run_experiment.h"

namespace tributary {

/// Throws `configuration_error` for a table of the file whose `value` is no statistic of its
/// machines. Those of the run and what a machine knows only after one are not checked.
void check_tables(const experiment_file& file);

/// One table as text. A cell is the mean over seeds, with the half-width of its 95 % confidence
/// interval where there are several; "*" marks interrupted runs, "○" runs that gave up before what
/// they wait for was reached, that had not settled or could not be drained, "-" what was not
/// measured.
/// Published numbers stand below the row that they belong to, with the measured value's deviation.
/// Throws `error` if there is no such statistic.
std::string result_table(const table_layout& layout, const experiment_file& file,
                         const std::vector<std::vector<run_result>>& results,
                         const std::vector<published_number>& published);

}  // namespace tributary
