# SPDX-License-Identifier: Apache-2.0
from .errors import ExploreError as ExploreError
from .flatten import Column as Column
from .notebook import run_sweep as run_sweep
from .plan import Plan as Plan
from .plan import Point as Point
from .plan import make_plan as make_plan
from .query import Rows as Rows
from .results import Results as Results
from .results import open_results as open_results
from .simulator import Simulator as Simulator
from .store import Failure as Failure
from .store import PlannedPoint as PlannedPoint
from .store import Store as Store
from .sweep_file import Experiment as Experiment
from .sweep_file import Sweep as Sweep
from .sweep_file import load_sweep as load_sweep
