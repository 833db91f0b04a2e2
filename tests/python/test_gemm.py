# SPDX-License-Identifier: Apache-2.0
"""tileplan.gemm() equals numpy."""
import numpy
import pytest

import tileplan

random = numpy.random.default_rng(1)


def matrix(rows, columns, transposed, kind):
    """Returns a matrix whose columns are contiguous if `transposed`, with gaps between rows."""
    shape = (columns, rows + 3) if transposed else (rows, columns + 3)
    stored = random.uniform(-1, 1, shape).astype(kind)
    return stored[:, :-3].T if transposed else stored[:, :-3]


@pytest.mark.parametrize("kind", [numpy.float32, numpy.float64])
@pytest.mark.parametrize("forms", [(False, False, False), (True, False, False), (False, True, True), (True, True, False)])
def test_views_are_read_and_written_in_place(kind, forms):
    a, b, c = (matrix(*size, form, kind) for size, form in zip([(19, 17), (17, 23), (19, 23)], forms))
    expected = 2 * a.astype(float) @ b.astype(float) - 0.5 * c
    assert tileplan.gemm(a, b, c, alpha=2, beta=-0.5) is c
    assert numpy.abs(c - expected).max() < 1e-4


def test_without_c_an_array_is_made():
    a, b = random.uniform(-1, 1, (5, 7)), random.uniform(-1, 1, (7, 3))
    assert tileplan.gemm(a, b) == pytest.approx(a @ b)


def test_a_batch_may_share_a_matrix():
    a, b = random.uniform(-1, 1, (4, 5, 7)), random.uniform(-1, 1, (7, 3))
    assert tileplan.gemm(a, b) == pytest.approx(a @ b)
    heads = random.uniform(-1, 1, (6, 4, 8)).transpose(1, 0, 2)  # Rows of the heads are interleaved.
    assert tileplan.gemm(heads, random.uniform(-1, 1, (4, 8, 5))).shape == (4, 6, 5)


def test_sizes_of_zero():
    c = numpy.ones((2, 3))
    tileplan.gemm(numpy.ones((2, 0)), numpy.ones((0, 3)), c, beta=3)
    assert (c == 3).all()
    assert tileplan.gemm(numpy.ones((0, 4)), numpy.ones((4, 3))).shape == (0, 3)


def test_wrong_arrays_are_refused():
    ones = numpy.ones((2, 2))
    with pytest.raises(tileplan.Error, match="^gemm: columns of a and rows of b are 3 and 2; must be equal$"):
        tileplan.gemm(numpy.ones((2, 3)), ones)
    with pytest.raises(tileplan.Error, match="^gemm: beta is 1 without c; must be 0, or c must be given$"):
        tileplan.gemm(ones, ones, beta=1)
    with pytest.raises(tileplan.Error, match="must be contiguous along rows or columns"):
        tileplan.gemm(numpy.ones((4, 4))[::2, ::2], ones)
    with pytest.raises(tileplan.Error, match="different types"):
        tileplan.gemm(ones, ones.astype(numpy.float32), numpy.ones((2, 2)))
