# SPDX-License-Identifier: Apache-2.0
"""What goes wrong for a reason that the user can mend."""


class ExploreError(Exception):
    """Wrong input or surroundings.

    Its text is the whole message: what is wrong, in which file or argument, what is allowed and
    what to do.
    """
