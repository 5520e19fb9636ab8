"""
Pixels of handwritten digits
============================

A display lights up to seven segments for a digit: seven labels for each picture. Which
of the 64 pixels tell which segments are lit?
"""

from labelsieve import Sieve, load_segments
from labelsieve.plots import InformationDisplay, PixelDisplay, RankingDisplay

data = load_segments()
print(data)

# %%
# Twelve pixels, best first. Their numbers are their ranks, on the average digit:
sieve = Sieve(12).fit(data.X, data.Y)
chosen = sieve.order_[:12].tolist()
display = PixelDisplay(chosen, (8, 8), background=data.X.mean(axis=0)).plot()
display.ax_.set_title("Twelve of 64 pixels")

# %%
# Why these? `explain` says for each pixel what it tells about which segment, and which
# other pixels repeat it.
explanation = sieve.explain(
    data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names
)
print(explanation)

# %%
# The score of a pixel is what it tells that the pixels before it did not:
display = RankingDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Scores of twelve pixels")

# %%
# No pixel tells all segments; together they cover them all:
display = InformationDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Which pixel tells which segment")

# %%
# The same ranking can be cut elsewhere without another fit:
print(sieve.at(5).transform(data.X).shape)
