# SPDX-License-Identifier: Apache-2.0
"""Runs calls at the same time."""
from concurrent.futures import ThreadPoolExecutor


def in_four_threads(work):
    """Runs work(0) to work(3) in a thread each, and raises what one of them raised."""
    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work, number) for number in range(4)]:
            each.result()
