#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates how long a fleet measures a network, and prints the tables of docs/scaling.md.

Each of 50 layers has 10 candidates on each of 5 types of machines. The client plans all layers, then a scheduler hands out one
request after another, and a worker answers one at a time."""
import heapq
import random

LAYERS, CANDIDATES, TYPES = 50, 10, 5
# PLAN is the time to plan a layer, and DECILES divide the times of requests into ten equally likely
# parts. Both are in seconds, measured on two quiet Zen 5 cores for 12 layers of ResNet-18.
PLAN = 0.035
DECILES = (0.021, 0.023, 0.025, 0.041, 0.047, 0.056, 0.062, 0.069, 0.087, 0.095, 0.111)
# The scheduler takes this many seconds to hand out a request, measured by 2000 calls of an empty
# function on two workers.
HAND_OUT = {"Dask": 0.0026, "MPI": 0.00018}
# A worker takes this many seconds to start Python and import the package.
START = 0.3
# A request that never finds quiet cores uses up its budget, and is sent again.
BUDGET = 3.0


def seconds_of_request(chance):
    place = chance.uniform(0, len(DECILES) - 1)
    low = min(int(place), len(DECILES) - 2)
    return DECILES[low] + (place - low) * (DECILES[low + 1] - DECILES[low])


def makespan(workers, hand_out, busy, seed=1):
    """Returns the seconds until all requests are answered.

    A request fails with probability `busy`. If there are fewer workers than types, a worker serves several types."""
    chance = random.Random(seed)
    planned = LAYERS * TYPES * PLAN
    queues = [[] for _ in range(min(workers, TYPES))]
    for number in range(workers):
        queues[number % len(queues)].append(START)
    scheduler = end = planned
    # Requests are handed out in the order of their numbers, in which the types of machines alternate.
    # Failed requests follow after all others, in the order of their failures.
    ready = [(planned, number) for number in range(LAYERS * CANDIDATES * TYPES)]
    while ready:
        since, number = heapq.heappop(ready)
        queue = queues[number % len(queues)]
        scheduler = max(scheduler, since) + hand_out
        begin = max(scheduler, heapq.heappop(queue))
        failed = chance.random() < busy
        done = begin + (BUDGET if failed else seconds_of_request(chance))
        heapq.heappush(queue, done)
        end = max(end, done)
        if failed:
            heapq.heappush(ready, (done, number))
    return end


def table(hand_out, busy):
    rows = ["workers  seconds  speed-up  workers busy"]
    alone = makespan(1, hand_out, busy)
    for workers in (1, 5, 10, 20, 50, 100, 200, 500, 1000, 2500, 10000):
        seconds = makespan(workers, hand_out, busy)
        work = (alone - LAYERS * TYPES * PLAN) / (workers * seconds)
        rows.append(f"{workers:7}  {seconds:7.1f}  {alone / seconds:8.1f}  {100 * work:10.1f} %")
    return "\n".join(rows)


if __name__ == "__main__":
    for scheduler_name, cost in HAND_OUT.items():
        for share in (0, 0.05):
            print(f"{scheduler_name}, {100 * share:g} % of the requests find no quiet cores")
            print(table(cost, share) + "\n")
