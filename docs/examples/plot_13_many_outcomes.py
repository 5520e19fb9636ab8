"""
Many outcomes: a label, a class and numbers at once
===================================================

A survey asks about smoking, party and income. Which few answers predict all of them?
Each column of ``Y`` is a target of its own type, and may be partly unknown.
"""

import numpy as np
import pandas as pd
from matplotlib import pyplot

from labelsieve import Sieve

# %%
# Twenty answers; each outcome depends on one or two of them. Incomes have a long tail,
# and a third of the people do not tell theirs.
random = np.random.default_rng(1)
X = pd.DataFrame(random.normal(size=(600, 20))).add_prefix("q")
noise = random.normal(size=(600, 3))
Y = pd.DataFrame(
    {
        "smokes": np.where(X["q0"] + noise[:, 0] > 0.5, "yes", "no"),
        "party": np.array(list("abc"))[np.digitize(X["q1"] + noise[:, 1], [-1, 1])],
        "income": 2_000 * np.exp(X["q2"] + 0.6 * X["q3"] + 0.5 * noise[:, 2]),
    }
)
Y.loc[random.random(600) < 0.35, "income"] = np.nan

# %%
# Numbers count by their ranks: neither the long tail nor the unit matters.
sieve = Sieve("auto").fit(X, Y)
print(dict(zip(Y, sieve.target_types_, strict=True)))
print(list(sieve.get_feature_names_out()))
logarithm = Y.assign(income=np.log(Y["income"]))
print("the same with logarithms:", sieve.order_.tolist()[:4]
      == Sieve("auto").fit(X, logarithm).order_.tolist()[:4])  # fmt: skip

# %%
# Which answer is relevant to which outcome?
table = sieve.explain(X, Y).to_frame().set_index("feature")
shares = table[[f"relevance: {name}" for name in Y]]
figure, ax = pyplot.subplots(figsize=(5.5, 2.6), layout="constrained")
shares.rename(columns=lambda name: name.removeprefix("relevance: ")).plot.barh(ax=ax)
ax.invert_yaxis()
ax.set_title("Relevance of the selected answers to each outcome")
ax.set_xlabel("share of the entropy of the outcome")
