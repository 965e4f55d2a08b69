"""Problem instances: their ids, Hessians, arrays, evaluation, relaxation and export."""

from unbounded.instances.instance import Instance, build
from unbounded.instances.spec import InstanceSpec

__all__ = ["Instance", "InstanceSpec", "build"]
