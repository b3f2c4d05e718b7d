"""Topics of models: against scikit-learn's variational Bayes by one protocol, against sums over all assignments, and hostile counts."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse, special
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning

from postrider import Model
from postrider._topics import checked_counts, halves


def made(seed, documents=300, vocabulary=120, topics=5, words=60):
    random = np.random.default_rng(seed)
    of_topics = random.dirichlet(np.full(vocabulary, 0.1), topics)
    shares = random.dirichlet(np.full(topics, 0.3), documents)
    lengths = random.poisson(words, documents) + 2
    return np.array([random.multinomial(n, share @ of_topics) for n, share in zip(lengths, shares, strict=True)]), of_topics


def test_held_out_perplexity_is_near_that_of_variational_bayes():
    counts, _ = made(1)
    learned, held_out = counts[:200], counts[200:]
    model = Model()
    t = model.topics(learned, 5, share_prior=0.3, word_prior=0.1)
    belief = model.infer()[t]
    other = LatentDirichletAllocation(5, doc_topic_prior=0.3, topic_word_prior=0.1, max_iter=60, random_state=0).fit(learned)
    given, rest = halves(checked_counts("counts", held_out), 0)
    words = other.components_ / other.components_.sum(axis=1, keepdims=True)
    theirs = math.exp(-(rest.toarray() * np.log(other.transform(given.toarray()) @ words)).sum() / rest.sum())
    assert belief.perplexity(held_out) <= 1.02 * theirs


def test_perplexity_is_that_of_its_definition():
    counts, _ = made(2, documents=40)
    model = Model()
    t = model.topics(counts, 3)
    belief = model.infer()[t]
    given, rest = halves(checked_counts("counts", counts), 5)
    p = belief.shares_of(given).mean @ belief.words.mean
    expected = math.exp(-(rest.toarray() * np.log(p)).sum() / rest.sum())
    assert belief.perplexity(counts, seed=5) == pytest.approx(expected, rel=1e-12)
    assert belief.perplexity(counts, seed=6) != belief.perplexity(counts, seed=5)


def test_halves_hold_all_words_once():
    counts = sparse.csr_matrix([[5, 0, 3], [0, 0, 0], [1, 0, 0]], dtype=float)
    given, rest = halves(counts, 1)
    np.testing.assert_array_equal((given + rest).toarray(), counts.toarray())
    np.testing.assert_array_equal(given.sum(axis=1).A1, [4, 0, 0])
    assert (given.toarray() >= 0).all()
    assert (rest.toarray() >= 0).all()


def test_topics_are_found_and_named_by_their_words():
    counts, truth = made(3, documents=500)
    model = Model()
    t = model.topics(counts, 5, share_prior=0.3, word_prior=0.1)
    belief = model.infer()[t]
    distance = np.abs(belief.words.mean[:, None] - truth[None]).sum(axis=2) / 2
    assert sorted(distance.argmin(axis=1)) == [0, 1, 2, 3, 4]
    assert distance.min(axis=1).max() < 0.15
    for found, true in zip(belief.top_words(1)[:, 0], truth[distance.argmin(axis=1)], strict=True):
        assert true[found] > 0.5 * true.max()


def test_sparse_and_dense_counts_give_the_same_bits_and_so_does_the_seed():
    counts, _ = made(4, documents=50)
    found = []
    for given in (counts, sparse.csr_matrix(counts), sparse.coo_matrix(counts)):
        model = Model()
        t = model.topics(given, 4, seed=9)
        found.append(model.infer()[t].words.parameters)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    model = Model()
    t = model.topics(counts, 4, seed=10)
    assert (model.infer()[t].words.parameters != found[0]).any()


def test_priors_reach_the_beliefs():
    model = Model()
    t = model.topics(np.array([[0, 0]]), 2, share_prior=[1, 3], word_prior=[[1, 2], [3, 5]])
    belief = model.infer()[t]
    np.testing.assert_allclose(belief.shares.parameters, [[1, 3]])
    np.testing.assert_allclose(belief.words.parameters, [[1, 2], [3, 5]])
    np.testing.assert_allclose(belief.words.sd[0], math.sqrt(2 / 36))


def test_the_evidence_of_one_topic_is_exact_and_adds_to_that_of_the_rest():
    counts = np.array([[2, 1], [0, 3]])
    model = Model()
    model.topics(counts, 1, word_prior=[0.5, 2])
    p = model.beta(1, 1, plate=())
    model.bernoulli(probability=p, observed=1)
    n = counts.sum(axis=0)
    expected = special.gammaln(n + [0.5, 2]).sum() - special.gammaln([0.5, 2]).sum() + special.gammaln(2.5) - special.gammaln(8.5)
    posterior = model.infer()
    assert posterior.log_evidence == pytest.approx(expected + math.log(0.5))
    assert posterior.engine == "soft counts"


def test_a_posterior_with_topics_can_be_pickled():
    counts, _ = made(5, documents=30)
    model = Model()
    t = model.topics(counts, 2)
    posterior = model.infer()
    again = pickle.loads(pickle.dumps(posterior))
    np.testing.assert_array_equal(again[t].words.parameters, posterior[t].words.parameters)


def test_a_run_that_is_cut_off_warns():
    counts, _ = made(6, documents=30)
    model = Model()
    model.topics(counts, 3, limit=1, tolerance=0)
    with pytest.warns(ConvergenceWarning, match="moved .* of all words; raise limit"):
        assert not model.infer().converged


def test_hostile_counts_leave_proper_beliefs():
    for counts in ([[0, 0]], [[1, 0], [0, 0]], [[10**6, 1], [0, 10**6]]):
        model = Model()
        t = model.topics(counts, 3, limit=50, tolerance=1)
        belief = model.infer()[t]
        assert np.isfinite(belief.words.mean).all()
        assert np.isfinite(belief.shares.sd).all()
        assert np.isfinite(belief.shares_of(counts).mean).all()


@pytest.mark.parametrize(
    ("counts", "options", "said"),
    [
        ([[-1, 2]], {}, "topics: counts: must be finite and at least 0"),
        ([[math.nan, 2]], {}, "counts: must be finite"),
        ([[1, 2]], {"share_prior": 0}, "topics: share_prior = 0: must be a finite number above 0"),
        ([[1, 2]], {"share_prior": [1, 1, 1]}, "share_prior = 3: must be one number, or 2"),
        ([[1, 2]], {"word_prior": [[1, 2, 3, 4]]}, "must have a row for each of 2 topics"),
        ([[1, 2]], {"starts": 0}, "starts = 0: must be at least 1"),
    ],
)
def test_mistakes_are_named(counts, options, said):
    with pytest.raises(ValueError, match=said):
        model = Model()
        model.topics(counts, 2, **options)
        model.infer()


def test_documents_that_cannot_be_judged_are_refused():
    model = Model()
    t = model.topics([[1, 2]], 2)
    belief = model.infer()[t]
    with pytest.raises(ValueError, match="no document has two words"):
        belief.perplexity([[0, 0]])
    with pytest.raises(ValueError, match="vocabulary = 3: must be that of the topics, 2"):
        belief.shares_of([[1, 0, 0]])
