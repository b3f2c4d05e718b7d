"""Exact posteriors of models: by dense matrices, by sums over grids, by many weighted draws."""

import math

import numpy as np
from scipy import optimize, stats


def dense_gaussian(mean, covariance, H, offset, noise, y):
    """x ~ N(mean, covariance), y = H x + offset + N(0, noise): means and deviations of x, and log p(y).

    By the matrix of observations, in which nothing large is subtracted where priors are wide: x given y through the precision.
    """
    mean, covariance = np.asarray(mean, float), np.asarray(covariance, float)
    noise = np.diag(np.broadcast_to(noise, len(y)) * np.ones(len(y))) if np.ndim(noise) < 2 else noise
    precision = np.linalg.inv(covariance) + H.T @ np.linalg.solve(noise, H)
    posterior = np.linalg.inv(precision)
    gap = y - H @ mean - offset
    found = mean + posterior @ (H.T @ np.linalg.solve(noise, gap))
    S = H @ covariance @ H.T + noise
    log_evidence = stats.multivariate_normal(np.zeros(len(y)), S).logpdf(gap)
    return found, np.sqrt(np.diag(posterior)), log_evidence


def chain_prior(F, Q, first_mean, first_covariance, length):
    """Mean and covariance of all states of a chain, state after state."""
    d = len(Q)
    mean, covariance = np.zeros(length * d), np.zeros((length * d, length * d))
    now, at = first_covariance, np.asarray(first_mean, float)
    for t in range(length):
        if t:
            now, at = F @ now @ F.T + Q, F @ at
        mean[t * d : t * d + d] = at
        cross = now
        for s in range(t, length):
            covariance[s * d : s * d + d, t * d : t * d + d] = cross
            covariance[t * d : t * d + d, s * d : s * d + d] = cross.T
            cross = F @ cross
    return mean, covariance


def rauch_tung_striebel(F, Q, first_mean, first_covariance, H, noise, y):
    """Kalman's filter and Rauch, Tung and Striebel's smoother: means and deviations of all states, and log p(y)."""
    length, d = len(y), len(Q)
    filtered, predicted, log_evidence = [], [], 0.0
    mean, covariance = np.asarray(first_mean, float), first_covariance
    for t in range(length):
        if t:
            mean, covariance = F @ mean, F @ covariance @ F.T + Q
        predicted.append((mean, covariance))
        S = float(H @ covariance @ H) + noise
        gap = y[t] - float(H @ mean)
        log_evidence += -0.5 * (math.log(2 * math.pi * S) + gap * gap / S)
        gain = covariance @ H / S
        mean = mean + gain * gap
        keep = np.eye(d) - np.outer(gain, H)
        covariance = keep @ covariance @ keep.T + noise * np.outer(gain, gain)
        filtered.append((mean, covariance))
    means, sds = np.zeros((length, d)), np.zeros((length, d))
    for t in range(length - 1, -1, -1):
        mean, covariance = filtered[t]
        if t < length - 1:
            ahead_mean, ahead_covariance = predicted[t + 1]
            gain = np.linalg.solve(ahead_covariance, F @ covariance).T
            mean = mean + gain @ (smooth_mean - ahead_mean)
            covariance = covariance + gain @ (smooth_covariance - ahead_covariance) @ gain.T
        smooth_mean, smooth_covariance = mean, covariance
        means[t], sds[t] = mean, np.sqrt(np.diag(covariance))
    return means, sds, log_evidence


def mixed_over(log_weights, means, sds):
    """The mixture of posteriors over a grid of hyperparameters whose cells are equally large."""
    log_weights = np.asarray(log_weights)
    p = np.exp(log_weights - log_weights.max())
    p /= p.sum()
    means, sds = np.asarray(means), np.asarray(sds)
    mean = np.tensordot(p, means, 1)
    second = np.tensordot(p, sds**2 + means**2, 1)
    return mean, np.sqrt(second - mean**2), p


def log_sum(log_values):
    top = np.max(log_values)
    return top + math.log(np.exp(np.asarray(log_values) - top).sum())


def importance(log_density, start, draws=400_000, seed=0, degrees=6):
    """Means, deviations and evidence by draws of Student's t about the mode of a log-density over rows of points."""
    d = len(start)
    found = optimize.minimize(lambda x: -log_density(x[None])[0], start, method="BFGS")
    mode, root = found.x, np.linalg.cholesky(_curvature(log_density, found.x))
    random = np.random.default_rng(seed)
    sums = None
    top = log_density(mode[None])[0]
    total = 0
    while total < draws:
        count = min(20_000, draws - total)
        z = random.normal(size=(count, d)) / np.sqrt(random.chisquare(degrees, size=(count, 1)) / degrees)
        x = mode + 1.2 * z @ root.T
        log_q = stats.multivariate_t.logpdf(z, np.zeros(d), np.eye(d), degrees)
        log_q -= math.log(1.2) * d + np.log(np.diag(root)).sum()
        part = np.exp(log_density(x) - top - log_q)
        now = (part.sum(), part @ x, part @ x**2)
        sums = now if sums is None else tuple(a + b for a, b in zip(sums, now, strict=True))
        total += count
    mean = sums[1] / sums[0]
    return mean, np.sqrt(sums[2] / sums[0] - mean**2), top + math.log(sums[0] / total)


def _curvature(log_density, x):
    """The inverse of minus the second derivatives, by differences."""
    d, h = len(x), 1e-4
    H = np.empty((d, d))
    E = h * np.eye(d)
    for i in range(d):
        for j in range(d):
            points = np.array([x + E[i] + E[j], x + E[i] - E[j], x - E[i] + E[j], x - E[i] - E[j]])
            f = log_density(points)
            H[i, j] = -(f[0] - f[1] - f[2] + f[3]) / (4 * h * h)
    return np.linalg.inv(0.5 * (H + H.T))
