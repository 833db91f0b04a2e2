# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices that are numpy arrays."""
from typing import Any

from . import _tileplan as native


def gemm(a: Any, b: Any, c: Any = None, *, alpha: float = 1.0, beta: float = 0.0, threads: int = 1) -> Any:
    """Returns c = alpha * a @ b + beta * c, computed in `c` or, without `c`, in a new array.

    The arrays are of float32 or float64, and have two dimensions, or three for a batch of products; one matrix `a` or `b`
    may serve a whole batch. Rows or columns must be contiguous, so that a.T is read in place. The first call of a shape
    plans and compiles a kernel, which later calls find in a cache."""
    for name, array in (("a", a), ("b", b), ("c", c)):
        dimensions = len(getattr(array, "shape", ()))
        has_shape = hasattr(array, "shape") or not hasattr(array, "__dlpack__")
        if has_shape and not 2 <= dimensions <= 3 and not (name == "c" and c is None):
            raise native.Error(f"gemm: {name} is {type(array).__name__} with {dimensions} dimensions; must be an array "
                               "with 2, or 3 for a batch of matrices")
    if c is None:
        if beta != 0:
            raise native.Error(f"gemm: beta is {beta} without c; must be 0, or c must be given")
        import numpy

        left, right = a.shape, b.shape
        batch = max(left[:-2], right[:-2])
        c = numpy.empty((*batch, left[-2], right[-1]), dtype=a.dtype)
    native.gemm_into(a, b, c, alpha, beta, threads)
    return c
