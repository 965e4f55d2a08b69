"""Which integer coordinates of an instance may change places without anything else changing, found from its arrays.

With y = x − ξ1 and d = ξ0 − ξ1, f = (y−d)ᵀA(y−d) and g = yᵀBy. Coordinates i and j are interchangeable, up to sign,
if exchanging s_i y_i and s_j y_j, with s the signs of d, leaves A, B, d and the lattice as they are: |d_i| = |d_j|,
and rows i and j of A and B, signs aside, are the same but for the exchange. Being interchangeable is an equivalence,
so blocks of such coordinates may be put in any order: a point and all of its rearrangements, its orbit, have the same
f and g.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance


@dataclass(frozen=True)
class Symmetry:
    """Blocks of interchangeable integer coordinates, numbered from 0 within the integers, and the signs s."""

    #: The number of its block for every coordinate; a coordinate that is like no other has a block of its own.
    block: npt.NDArray[np.int64]
    sign: FloatArray

    @property
    def trivial(self) -> bool:
        """Whether no two coordinates are interchangeable."""
        return len(np.unique(self.block)) == len(self.block)

    def orbit_sizes(self, W: FloatArray) -> FloatArray:
        """Return how many different vectors the rearrangements of each row are; rows hold s_i y_i, or that plus whole
        numbers that are the same within a block.
        """
        sizes = np.ones(len(W))
        if self.trivial:
            return sizes
        for block in np.unique(self.block):
            members = W[:, self.block == block]
            if members.shape[1] == 1:
                continue
            for row, values in enumerate(members):
                counts = np.unique(values, return_counts=True)[1]
                sizes[row] *= float(math.factorial(len(values)) // math.prod(math.factorial(int(k)) for k in counts))
        return sizes


def none(n_z: int) -> Symmetry:
    """Return the symmetry of coordinates none of which are interchangeable."""
    return Symmetry(np.arange(n_z), np.ones(n_z))


def find_symmetry(instance: Instance) -> Symmetry:
    """Return the blocks of interchangeable integer coordinates."""
    at = instance.integers
    d = instance.xi0 - instance.xi1
    signs = np.where(d < 0, -1.0, 1.0)
    A, B = (signs[:, None] * H * signs for H in (instance.Hf, instance.Hg))
    d = signs * d
    offset = signs * (instance.xi1 - np.rint(instance.xi1))
    block = np.arange(instance.D)
    for i in range(at.start, instance.D):
        for j in range(at.start, i):
            if block[j] == j and d[i] == d[j] and offset[i] == offset[j] and _alike(A, i, j) and _alike(B, i, j):
                block[i] = j
                break
    return Symmetry(np.unique(block[at], return_inverse=True)[1], signs[at])


def _alike(H: FloatArray, i: int, j: int) -> bool:
    """Say whether exchanging coordinates i and j leaves the matrix as it is, to the last bit."""
    if H[i, i] != H[j, j]:
        return False
    same = H[i] == H[j]
    same[[i, j]] = True
    return bool(same.all())
