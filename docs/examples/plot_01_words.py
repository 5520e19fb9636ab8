"""
Text: words that predict tags
=============================

Posts have tags, and every post may have several. Which words predict the tags? A
``CountVectorizer`` or ``TfidfVectorizer`` makes a feature of every word; Sieve selects
the few that are relevant and not redundant.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from labelsieve import Sieve
from labelsieve.plots import InformationDisplay

# %%
# We generate six hundred posts: each has one to three tags, some words of its tags, and
# many common words.
WORDS = {
    "baking": ["oven", "dough", "flour", "yeast", "butter", "crust"],
    "cycling": ["wheel", "chain", "saddle", "helmet", "climb", "brake"],
    "gardening": ["soil", "seeds", "compost", "pruning", "bloom", "shovel"],
    "travel": ["ticket", "hostel", "passport", "train", "harbour", "luggage"],
}
COMMON = [f"{a}{b}" for a in ("every", "some", "any") for b in ("day", "how", "one")]

random = np.random.default_rng(0)
posts, tags = [], []
for _ in range(600):
    mine = random.choice(list(WORDS), size=random.integers(1, 4), replace=False)
    words = [word for tag in mine for word in random.choice(WORDS[tag], 3)]
    posts.append(" ".join([*words, *random.choice(COMMON, 12)]))
    tags.append(sorted(mine.tolist()))
print(posts[0], "->", tags[0])

# %%
# The words become a sparse matrix of counts, which stays sparse. The tags go in as they
# are: one list for each post, no ``MultiLabelBinarizer``.
vectorizer = CountVectorizer()
X = vectorizer.fit_transform(posts)
sieve = Sieve(8).fit(X, tags)
words = vectorizer.get_feature_names_out()
print(words[sieve.order_[:8]])

# %%
# The relevance of each word to each tag: mutual information in percent of the tag's
# entropy. Read it by row: which tags does a word predict?
explanation = sieve.explain(X, tags, feature_names=words)
display = InformationDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Relevance of eight words to four tags")

# %%
# None of the common words is among them:
print(set(words[sieve.order_[:8]]) & set(COMMON))
