"""
A messy table: missing values, categories, dates, tags
======================================================

Numbers with missing values, categories, dates, a constant column, tags in one cell: the
table goes in as it is. A missing value is a category of its own, because missingness is
often informative. On the command line, with a CSV file: ``labelsieve select
machines.csv --labels broke --separator ";"``.
"""

import numpy as np
import pandas as pd

from labelsieve import Sieve, describe, split_tags
from labelsieve.plots import RankingDisplay

# %%
# A workshop records what it knows of 500 machines, and which parts broke.
random = np.random.default_rng(0)
n = 500
pump, belt = random.random(n) < 0.3, random.random(n) < 0.2
bought = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 700, n), "D")
table = pd.DataFrame(
    {
        "hours": (random.gamma(3.0, 400.0, n) + 800 * belt).round(),
        "pressure": np.where(pump, np.nan, random.normal(5, 1, n)),
        "oil": pd.Categorical(np.where(random.random(n) < 0.5, "thin", "thick")),
        "bought": bought - pd.to_timedelta(600 * belt, "D"),
        "site": random.choice(["north", "south", "harbour"], n),
        "plant": "A7",
        "broke": np.where(pump, "pump", "")
        + np.where(pump & belt, "; ", "")
        + np.where(belt, "belt", ""),
    }
)
table.loc[random.random(n) < 0.1, "hours"] = np.nan
print(table.head(4).to_string())

# %%
# The tags are in one column, separated by semicolons. First a description of the data,
# with what a careful colleague would notice:
tags = split_tags(table.pop("broke"), ";")
describe(table, tags)

# %%
# Nothing has to be imputed, encoded or dropped:
sieve = Sieve(3).fit(table, tags)
print(sieve.get_feature_names_out())

# %%
# The explanation says how many values are missing and how relevant the missingness is:
# where the pump broke, nobody could read the pressure.
explanation = sieve.explain(table, tags)
print(explanation)

# %%
display = RankingDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Which columns predict the broken part")
