"""Topics of documents beside scikit-learn's variational Bayes: the same priors, the same number of topics, one protocol.

Half of the words of each held-out document are given, from which each method infers the document's shares by itself; the other half is judged by
sum_k (mean share of k) (mean probability of the word in k).
"""

import subprocess
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from postrider import Model
from postrider._topics import checked_counts, halves

# Documents, vocabulary, topics, words for each document, priors of shares and words.
CORPORA = [
    (400, 200, 5, 60, 0.3, 0.1),
    (400, 300, 10, 60, 0.1, 0.05),
    (300, 200, 8, 30, 0.5, 0.1),
    (300, 400, 10, 150, 0.2, 0.05),
    (200, 300, 20, 80, 0.1, 0.02),
]
HELD_OUT = 150
GOAL = 1.02


def made(random, documents, vocabulary, topics, words, share_prior, word_prior):
    """Counts, and the probabilities of words in the true topics."""
    of_topics = random.dirichlet(np.full(vocabulary, word_prior), topics)
    shares = random.dirichlet(np.full(topics, share_prior), documents)
    lengths = random.poisson(words, documents) + 2
    counts = np.array([random.multinomial(n, share @ of_topics) for n, share in zip(lengths, shares, strict=True)])
    return sparse.csr_matrix(counts, dtype=float), of_topics


def perplexity(shares, of_topics, judged):
    judged = judged.tocoo()
    p = (shares[judged.row] * of_topics.T[judged.col]).sum(axis=1)
    return float(np.exp(-(judged.data * np.log(p)).sum() / judged.data.sum()))


def normalised(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def compared(counts, held_out, topics, share_prior, word_prior, truth=None):
    given, judged = halves(checked_counts("held out", held_out), 0)
    start = time.perf_counter()
    model = Model()
    t = model.topics(counts, topics, share_prior=share_prior, word_prior=word_prior)
    found = model.infer()[t]
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    other = LatentDirichletAllocation(
        topics, doc_topic_prior=share_prior, topic_word_prior=word_prior, max_iter=100, max_doc_update_iter=200, random_state=0
    ).fit(counts)
    their_seconds = time.perf_counter() - start
    ours = perplexity(found.shares_of(given).mean, found.words.mean, judged)
    theirs = perplexity(other.transform(given), normalised(other.components_), judged)
    out = {
        "documents": counts.shape[0],
        "vocabulary": counts.shape[1],
        "topics": topics,
        "perplexity": ours,
        "variational_bayes": theirs,
        "ratio": ours / theirs,
        "seconds": seconds,
        "variational_bayes_seconds": their_seconds,
    }
    if truth is not None:
        # What is left to be found is the shares alone: topics so sure beforehand that no document changes them.
        model = Model()
        t = model.topics(given[:1], topics, share_prior=share_prior, word_prior=np.maximum(truth, 1e-12) * 1e12)
        out["true_topics"] = perplexity(model.infer()[t].shares_of(given).mean, truth, judged)
    return out


def farm_ads(data, documents=1200, vocabulary=2000):
    """The first advertisements of the set, and the words that stand in most of them."""
    text = subprocess.run(["zstd", "-dc", Path(data) / "sparse/farm-ads/farm-ads.libsvm.zst"], capture_output=True, check=True).stdout
    rows = [[int(each.split(b":")[0]) - 1 for each in line.split()[1:]] for line in text.splitlines()[:documents]]
    first = np.cumsum([0, *map(len, rows)])
    words = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
    counts = sparse.csr_matrix((np.ones(len(words)), words, first))
    often = np.argsort(-np.asarray(counts.sum(axis=0)).ravel(), kind="stable")[:vocabulary]
    return counts[:, np.sort(often)]


def entry(data):
    corpora = []
    for seed, setting in enumerate(CORPORA):
        documents, *rest = setting
        counts, truth = made(np.random.default_rng(seed), documents + HELD_OUT, *rest)
        corpora.append({"name": f"made {seed}", **compared(counts[:documents], counts[documents:], setting[2], *setting[4:], truth=truth)})
        print(corpora[-1], flush=True)
    if data is not None:
        counts = farm_ads(data)
        corpora.append({"name": "farm-ads", **compared(counts[:900], counts[900:], 15, 0.1, 0.05)})
        print(corpora[-1], flush=True)
    worst = max(each["ratio"] for each in corpora)
    return {
        "name": "topics",
        "group": "topics",
        "what": "Topics of documents.",
        "reference": "scikit-learn's variational Bayes",
        "data_sets": len(corpora),
        "lines": 3,
        "perplexity_ratio": worst,
        "seconds": float(np.mean([each["seconds"] for each in corpora])),
        "corpora": corpora,
        "checks": [],
        "reached": worst <= GOAL,
    }
