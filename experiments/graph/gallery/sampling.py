"""Posteriors by long chains: elliptical slices where priors are Gaussian, Gibbs where conditionals are.

Four chains from draws of the prior, a quarter of each for warming up, until R-hat is below 1.01.
"""

import numpy as np
from scipy.special import ndtr, ndtri

CHAINS = 4


def moments_of(chain, iterations, most=8):
    """Means and deviations of what `chain(seed, iterations)` gives, four of them, longer until they agree."""
    for _ in range(most):
        found = np.array([chain(seed, iterations) for seed in range(CHAINS)])
        r_hat = split_r_hat(found)
        if r_hat < 1.01:
            flat = found.reshape(-1, found.shape[-1])
            return flat.mean(axis=0), flat.std(axis=0)
        iterations *= 2
    raise RuntimeError(f"R-hat is {r_hat:.3f} after {iterations // 2} iterations")


def split_r_hat(chains):
    """The largest over coordinates, each chain cut into halves."""
    n = chains.shape[1] // 2
    halves = np.concatenate([chains[:, :n], chains[:, n : 2 * n]])
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = n * halves.mean(axis=1).var(axis=0, ddof=1)
    return float(np.sqrt(((n - 1) / n * within + between / n) / within).max())


def elliptical_slices(log_likelihood, mean, root, iterations=4000, keep=10):
    """x ~ N(mean, root root'), by Murray, Adams and MacKay's elliptical slice sampling; every tenth draw is kept."""

    def chain(seed, count):
        random = np.random.default_rng([seed, 1])
        f = root @ random.normal(size=root.shape[1])
        log_f, kept = log_likelihood(mean + f), []
        for i in range(count * keep):
            nu = root @ random.normal(size=root.shape[1])
            level = log_f + np.log(random.random())
            angle = random.uniform(0, 2 * np.pi)
            low, high = angle - 2 * np.pi, angle
            while True:
                trial = f * np.cos(angle) + nu * np.sin(angle)
                log_trial = log_likelihood(mean + trial)
                if log_trial > level:
                    break
                low, high = (angle, high) if angle < 0 else (low, angle)
                angle = random.uniform(low, high)
            f, log_f = trial, log_trial
            if i % keep == 0 and i >= count * keep // 4:
                kept.append(mean + f)
        return np.array(kept)

    return moments_of(chain, iterations)


def gibbs_factors(y, noise, u_mean, u_sd, v_sd, iterations=4000):
    """The moments of v in y = u v' + noise, each side drawn given the other."""

    def chain(seed, count):
        random = np.random.default_rng([seed, 2])
        # All signs may be turned round together: chains begin where the prior of u is.
        u, kept = u_mean + u_sd * random.normal(size=y.shape[0]), []
        for i in range(count):
            precision = 1 / v_sd**2 + u @ u / noise**2
            v = (u @ y / noise**2) / precision + random.normal(size=y.shape[1]) / np.sqrt(precision)
            precision = 1 / u_sd**2 + v @ v / noise**2
            u = (u_mean / u_sd**2 + y @ v / noise**2) / precision + random.normal(size=y.shape[0]) / np.sqrt(precision)
            if i >= count // 4:
                kept.append(v)
        return np.array(kept)

    return moments_of(chain, iterations)


def gibbs_items(y, slope_sd, iterations=4000):
    """The moments of theta in Phi(a (theta - b)), by Albert and Chib's normal numbers behind answers."""
    persons, items = y.shape

    def chain(seed, count):
        random = np.random.default_rng([seed, 3])
        theta, a, b, kept = random.normal(size=persons), np.ones(items), np.zeros(items), []
        for i in range(count):
            z_mean = a * (theta[:, None] - b)
            # N(z_mean, 1) above 0 where the answer is 1, below where it is 0, by its distribution function.
            cut = ndtr(-z_mean)
            share = random.random(size=y.shape)
            z = z_mean + ndtri(np.clip(np.where(y > 0, cut + share * (1 - cut), share * cut), 1e-15, 1 - 1e-15))
            precision = 1 + a @ a
            theta = ((z + a * b) @ a) / precision + random.normal(size=persons) / np.sqrt(precision)
            # (a, c = a b) given theta: b's prior is normal, so b and a in turn.
            gap = theta[:, None] - b
            precision = 1 / slope_sd**2 + (gap**2).sum(axis=0)
            a = (1 / slope_sd**2 + (gap * z).sum(axis=0)) / precision + random.normal(size=items) / np.sqrt(precision)
            precision = 1 + persons * a**2
            b = (a * (a * theta[:, None] - z)).sum(axis=0) / precision + random.normal(size=items) / np.sqrt(precision)
            if i >= count // 4:
                kept.append(theta)
        return np.array(kept)

    return moments_of(chain, iterations)


def walk_root(length, first, step, width=1):
    """The root of the covariance of a random walk of vectors with independent entries."""
    scale = np.where(np.arange(length) == 0, first, step)
    return np.kron(np.tril(np.ones((length, length))) * scale, np.eye(width))
