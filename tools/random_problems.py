#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a layer table of random products and convolutions, which tools/plain_plan.py can measure.

Equal seeds give equal tables. The kinds follow each other in turn, so that a table of 60 problems has four of each.
"""
import argparse
import random

# These numbers limit the multiply-adds. Smaller problems mostly measure the call, and larger ones take too long.
FEWEST, MOST = 1e3, 2e9


def extent(draw, most):
    """Returns a size up to `most`. One of seven is drawn from 1 to 8. If `most` is at least 16, powers of two, multiples of 16
    and arbitrary sizes are drawn equally often for the others."""
    kind = draw.randrange(7)
    if kind == 0:
        return draw.randint(1, min(8, most))
    if kind <= 2:
        return 2 ** draw.randint(min(3, most.bit_length() - 1), most.bit_length() - 1)
    if kind <= 4 and most >= 16:
        return 16 * draw.randint(1, most // 16)
    return draw.randint(1, most)


def product(m, n, k, batch=1):
    text = f"m{m}n{n}k{k}"
    return (text if batch == 1 else f"b{batch}{text}"), batch * m * n * k


def skinny(draw):
    return product(draw.randint(1, 8), extent(draw, 4096), extent(draw, 4096))


def tiny(draw):
    return product(draw.randint(1, 32), draw.randint(1, 32), draw.randint(4, 32))


def power_of_two_pitches(draw):
    return product(extent(draw, 512), 2 ** draw.randint(8, 12), 2 ** draw.randint(2, 12))


def short_sums(draw):
    return product(extent(draw, 2048), extent(draw, 2048), draw.randint(1, 8))


def any_product(draw):
    return product(extent(draw, 1024), extent(draw, 1024), extent(draw, 1024))


def batch_of_products(draw):
    return product(extent(draw, 128), extent(draw, 128), extent(draw, 128), draw.randint(2, 32))


def axis(draw, name, size, filter_size, stride, dilation=1):
    """Returns the text of one direction and its multiply-adds per pair of channels."""
    window = (filter_size - 1) * dilation + 1
    around = draw.choice([0, (window - 1) // 2])
    size = max(size, window - 2 * around)
    out = (size + 2 * around - window) // stride + 1
    text = f"i{name}{size}o{name}{out}k{name}{filter_size}"
    text += f"s{name}{stride}" if stride > 1 else ""
    text += f"d{name}{dilation - 1}" if dilation > 1 else ""
    return text + f"p{name}{around}", out * filter_size


def convolution(draw, c, k, filter_size=3, longest=112, groups=1, batch=1, stride=1, dilation=1, depth=None):
    size = extent(draw, longest)
    axes = [axis(draw, name, size, filter_size, stride, dilation) for name in ("h", "w")]
    if depth:
        axes.insert(0, axis(draw, "d", depth, filter_size, 1))
    text = (f"g{groups}" if groups > 1 else "") + f"mb{batch}ic{groups * c}oc{groups * k}" + "".join(text for text, _ in axes)
    work = batch * groups * c * k
    for _, each in axes:
        work *= each
    return text, work


def dense(draw):
    return convolution(draw, extent(draw, 512), extent(draw, 512), draw.choice([2, 3, 3, 5]))


def pointwise(draw):
    return convolution(draw, extent(draw, 512), extent(draw, 512), 1)


def strided(draw):
    return convolution(draw, extent(draw, 256), extent(draw, 256), draw.choice([1, 3, 7]), stride=draw.randint(2, 3))


def dilated(draw):
    return convolution(draw, extent(draw, 128), extent(draw, 128), 3, dilation=2)


def few_channels(draw):
    return convolution(draw, draw.randint(1, 8), draw.randint(1, 64), draw.choice([3, 5, 7]), 224)


def grouped(draw):
    groups = draw.choice([2, 4, 8, 16, 32])
    return convolution(draw, extent(draw, 256 // groups), extent(draw, 256 // groups), draw.choice([1, 3]), 56, groups)


def depthwise(draw):
    return convolution(draw, 1, 1, draw.choice([3, 3, 5]), groups=max(2, extent(draw, 512)), stride=draw.randint(1, 2))


def with_depth(draw):
    return convolution(draw, extent(draw, 64), extent(draw, 64), 3, 28, depth=draw.randint(2, 12))


def several_images(draw):
    return convolution(draw, extent(draw, 256), extent(draw, 256), draw.choice([1, 3]), 28, batch=draw.randint(2, 8))


KINDS = [skinny, tiny, power_of_two_pitches, short_sums, any_product, batch_of_products, dense, pointwise, strided, dilated,
         few_channels, grouped, depthwise, with_depth, several_images]


def problems(seed, count):
    draw = random.Random(seed)
    drawn = []
    while len(drawn) < count:
        kind = KINDS[len(drawn) % len(KINDS)]
        text, work = kind(draw)
        if FEWEST <= work <= MOST:
            drawn.append((f"{kind.__name__}-{len(drawn) // len(KINDS) + 1}", text))
    return drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    print(f"# tools/random_problems.py --seed {options.seed} --count {options.count}")
    print("name,problem")
    for name, text in problems(options.seed, options.count):
        print(f"{name},{text}")


main()
