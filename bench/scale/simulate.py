#!/usr/bin/env python3
"""Replays the schedule of training that is spread, with measured times of kernels and a modelled network.

A round refreshes some groups of each shard and ends with a sum over all machines. It takes as long as the machine with
most to do, and the sum. Of the machine: seconds to refresh a group, which grow with weights and rows, and seconds to put
a sum's numbers in and out of the beliefs. Of the network: a sum of n bytes over m machines takes 2 (m - 1)/m n/bandwidth
and 2 log2(m) latencies, as rings and trees do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Machine:
    """Measured constants."""

    seconds_per_row_and_weight: float
    seconds_per_number: float  # of a sum, in the machine itself


@dataclass
class Network:
    bandwidth: float  # bytes per second, each way
    latency: float  # seconds

    def seconds_per_sum(self, machines: int, size: float) -> float:
        if machines == 1:
            return 0.0
        share = 2 * (machines - 1) / machines
        return share * size / self.bandwidth + 2 * math.log2(machines) * self.latency


@dataclass
class Job:
    weights: int
    rows: int
    group_size: int
    shards: int
    rows_in_flight: float = 0.01

    @property
    def groups(self) -> int:
        return -(-self.rows // self.group_size)


def groups_done(job: Job, shard: int, time: int) -> int:
    """How many groups of a shard are done when so many of all are: as the library has it."""
    own = job.rows * (shard + 1) // job.shards - job.rows * shard // job.shards
    groups = -(-own // job.group_size)
    return (groups * time + job.groups * shard // job.shards) // job.groups


def seconds_per_epoch(job: Job, machine: Machine, machines: int, per_sum: float) -> float:
    """Rounds one after another; shards are dealt to machines in turn."""
    flight = max(1, int(job.rows_in_flight * job.groups))
    per_group = job.group_size * job.weights * machine.seconds_per_row_and_weight
    total, done = 0.0, 0
    while done < job.groups:
        end = min(job.groups, done + flight)
        busy = [0] * machines
        for shard in range(job.shards):
            busy[shard % machines] += groups_done(job, shard, end) - groups_done(job, shard, done)
        total += max(busy) * per_group + per_sum + 2 * job.weights * machine.seconds_per_number
        done = end
    return total


def ideal_seconds(job: Job, machine: Machine, machines: int, network: Network) -> float:
    """The time of large jobs, whose rounds are all alike: each machine has its share of a round's rows."""
    flight = max(machines, job.rows_in_flight * job.rows)
    rounds = job.rows / flight
    work = flight / machines * job.weights * machine.seconds_per_row_and_weight
    exchange = network.seconds_per_sum(machines, 16 * job.weights) + 2 * job.weights * machine.seconds_per_number
    return rounds * (work + exchange)
