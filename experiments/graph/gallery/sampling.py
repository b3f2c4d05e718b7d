"""Posteriors by long chains: Hamiltonian ones where likelihoods are log-concave, Gibbs where conditionals are Gaussian.

A quarter of each is for warming up, and all are longer until R-hat of every unknown number is below 1.01.
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


def log_concave(design, mean, root, log_likelihood, slope, iterations=1000):
    """x ~ N(mean, root root') with a likelihood of z = design x, concave in each z: means and deviations of x.

    Hamiltonian Monte Carlo from many points at once, in coordinates in which the curvature at the mode is the unit matrix. Slices
    along ellipses of the prior, which need no slopes, had not settled after hours where there are 150 unknown numbers.
    """
    whole = design @ root
    at_mode = _newton(whole, design @ mean, slope)
    to_prior = np.linalg.inv(np.linalg.cholesky(_curvature_at(whole, design @ mean, slope, at_mode))).T
    A, c = whole @ to_prior, design @ (mean + root @ at_mode)

    def log_density(v):
        u = at_mode + v @ to_prior.T
        return log_likelihood(c + v @ A.T).sum(axis=1) - 0.5 * (u**2).sum(axis=1)

    def gradient(v):
        u = at_mode + v @ to_prior.T
        return slope(c + v @ A.T) @ A - u @ to_prior

    found = moments_of_many(log_density, gradient, to_prior.shape[1], iterations)
    return mean + root @ (at_mode + to_prior @ found[0]), _sds_of(root @ to_prior, found[1])


def moments_of_many(log_density, gradient, size, iterations, most=6):
    """Mean and covariance by 64 Hamiltonian chains side by side, a quarter for warming up, longer until they agree."""
    for _ in range(most):
        draws = hamiltonian(log_density, gradient, size, iterations)
        r_hat = split_r_hat(draws)
        if r_hat < 1.01:
            flat = draws.reshape(-1, size)
            return flat.mean(axis=0), np.cov(flat.T)
        iterations *= 2
    raise RuntimeError(f"R-hat is {r_hat:.3f} after {iterations // 2} iterations")


def hamiltonian(log_density, gradient, size, count, chains=64, seed=4):
    """Draws (chains, draws, size) of a density about 0 with curvature about 1."""
    random = np.random.default_rng(seed)
    v = 1.5 * random.normal(size=(chains, size))
    log_f, kept = log_density(v), []
    for i in range(count + count // 3):
        # Paths of about a quarter turn, of random length so that no direction comes back to where it was.
        step, leaps = random.uniform(0.15, 0.3), random.integers(4, 11)
        p = random.normal(size=v.shape)
        trial, energy = v, log_f - 0.5 * (p**2).sum(axis=1)
        p = p + 0.5 * step * gradient(trial)
        for leap in range(leaps):
            trial = trial + step * p
            p = p + (step if leap < leaps - 1 else 0.5 * step) * gradient(trial)
        log_trial = log_density(trial)
        take = np.log(random.random(chains)) < log_trial - 0.5 * (p**2).sum(axis=1) - energy
        v, log_f = np.where(take[:, None], trial, v), np.where(take, log_trial, log_f)
        if i >= count // 3:
            kept.append(v)
    return np.array(kept).swapaxes(0, 1)


def _newton(A, c, slope):
    """The mode of u ~ N(0, I) with a concave likelihood of c + A u."""
    u = np.zeros(A.shape[1])
    for _ in range(200):
        change = np.linalg.solve(_curvature_at(A, c, slope, u), slope(c + A @ u) @ A - u)
        # Short steps while far away: slopes of exponentials grow fast.
        u = u + change * min(1.0, 2.0 / np.abs(change).max())
        if np.abs(change).max() < 1e-8:
            break
    return u


def _curvature_at(A, c, slope, u, h=1e-4):
    z = c + A @ u
    bend = (slope(z - h) - slope(z + h)) / (2 * h)
    return np.eye(A.shape[1]) + A.T @ (bend[:, None] * A)


def _sds_of(root, covariance):
    return np.sqrt(((root @ covariance) * root).sum(axis=1))


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
