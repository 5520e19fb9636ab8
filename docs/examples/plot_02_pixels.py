"""
Pixels of handwritten digits
============================

A seven-segment display lights some of its segments for each digit: seven labels for
each image. Which of the 64 pixels predict the segments?
"""

from labelsieve import Sieve, load_segments
from labelsieve.plots import InformationDisplay, PixelDisplay, RankingDisplay

data = load_segments()
print(data)

# %%
# Twelve pixels, best first. The numbers are ranks, drawn on the average digit:
sieve = Sieve(12).fit(data.X, data.Y)
chosen = sieve.order_[:12].tolist()
display = PixelDisplay(chosen, (8, 8), background=data.X.mean(axis=0)).plot()
display.ax_.set_title("Twelve of 64 pixels")

# %%
# Why these? ``explain`` gives the relevance of each pixel to each segment, and the
# selected pixels it is redundant with.
explanation = sieve.explain(
    data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names
)
print(explanation)

# %%
# The score of a pixel is what it adds to the pixels selected before:
display = RankingDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Scores of twelve pixels")

# %%
# No pixel predicts all segments; together they cover them all:
display = InformationDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Relevance of pixels to segments")

# %%
# The same ranking can be cut elsewhere without refitting:
print(sieve.at(5).transform(data.X).shape)
