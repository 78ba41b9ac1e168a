# SPDX-License-Identifier: Apache-2.0
# Installs what BUILD_DIR has built below PREFIX, where nothing of an earlier test is left.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${PREFIX}
                COMMAND_ERROR_IS_FATAL ANY)
