# SPDX-License-Identifier: Apache-2.0
"""tileplan.gemm() gives the results of numpy."""
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tileplan
from memory import kept_bytes
from threads import in_four_threads

random = numpy.random.default_rng(1)


def matrix(rows, columns, transposed, kind):
    """Returns a matrix whose rows, or columns if `transposed`, are contiguous and have gaps between them."""
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
    shared = random.uniform(-1, 1, (1, 7, 3))
    assert tileplan.gemm(a, shared) == pytest.approx(a @ shared)
    b = random.uniform(-1, 1, (4, 7, 3))
    assert tileplan.gemm(a[:1], b) == pytest.approx(a[:1] @ b)
    # In the array `heads`, the rows of different heads are interleaved.
    heads = random.uniform(-1, 1, (6, 4, 8)).transpose(1, 0, 2)
    b = random.uniform(-1, 1, (4, 8, 5))
    assert tileplan.gemm(heads, b) == pytest.approx(heads @ b)


def test_sizes_of_zero():
    c = numpy.ones((2, 3))
    tileplan.gemm(numpy.ones((2, 0)), numpy.ones((0, 3)), c, beta=3)
    assert (c == 3).all()
    assert tileplan.gemm(numpy.ones((0, 4)), numpy.ones((4, 3))).shape == (0, 3)


def test_a_reversed_column_is_refused():
    column = numpy.ones((5, 1))[::-1]
    for a, b, c in [(column, numpy.ones((1, 3)), None), (numpy.ones((5, 2)), numpy.ones((2, 1)), column),
                    (numpy.broadcast_to(numpy.ones((1, 1)), (5, 1)), numpy.ones((1, 3)), None)]:
        with pytest.raises(tileplan.Error, match="rows that overlap or are reversed"):
            tileplan.gemm(a, b, c)


def test_wrong_arrays_are_refused():
    ones = numpy.ones((2, 2))
    with pytest.raises(tileplan.Error, match="^gemm: columns of a and rows of b are 3 and 2; must be equal$"):
        tileplan.gemm(numpy.ones((2, 3)), ones)
    with pytest.raises(tileplan.Error, match="^gemm: beta is 1 without c; must be 0, or c must be given$"):
        tileplan.gemm(ones, ones, beta=1)
    with pytest.raises(tileplan.Error, match="must be contiguous along rows or columns"):
        tileplan.gemm(numpy.ones((4, 4))[::2, ::2], ones)
    for wrong, text in [([[1.0]], "list with 0"), (numpy.ones(2), "ndarray with 1")]:
        with pytest.raises(tileplan.Error, match=f"^gemm: a is {text} dimensions; must be an array with 2, or 3"):
            tileplan.gemm(wrong, ones)
    with pytest.raises(tileplan.Error, match="different types"):
        tileplan.gemm(ones, ones.astype(numpy.float32), numpy.ones((2, 2)))


SIZES = st.integers(1, 24)
FLAGS = st.booleans()


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(SIZES, SIZES, SIZES, st.tuples(FLAGS, FLAGS, FLAGS), st.sampled_from([numpy.float32, numpy.float64]),
       st.sampled_from([(1, 0), (1, 1), (-2, 0.5)]))
def test_random_products_equal_numpy(m, n, k, forms, kind, factors):
    a, b, c = (matrix(*size, form, kind) for size, form in zip([(m, k), (k, n), (m, n)], forms))
    alpha, beta = factors
    expected = alpha * (a.astype(float) @ b.astype(float)) + beta * c.astype(float)
    tileplan.gemm(a, b, c, alpha=alpha, beta=beta)
    assert numpy.abs(c - expected).max() <= 256 * numpy.finfo(kind).eps * (numpy.abs(expected).max() + 1)


def test_four_threads_share_the_cache_of_kernels():
    before = tileplan.gemm_cache_counts()
    wrong = []

    def work(number):
        for i in range(400):
            a = numpy.full((3 + i % 4, 5), number, numpy.float32)
            if not (tileplan.gemm(a, numpy.ones((5, 9), numpy.float32)) == 5 * number).all():
                wrong.append((number, i))

    in_four_threads(work)
    after = tileplan.gemm_cache_counts()
    assert not wrong and after.compiled - before.compiled <= 4 and after.found - before.found >= 1596


def test_no_memory_is_lost_in_many_calls():
    a, b, wrong = numpy.ones((4, 4)), numpy.ones((4, 4)), numpy.ones((3, 4))

    def calls(count):
        for _ in range(count):
            tileplan.gemm(a, b)
            with pytest.raises(tileplan.Error):
                tileplan.gemm(a, wrong)

    assert kept_bytes(calls, 20_000) < 2_000_000
