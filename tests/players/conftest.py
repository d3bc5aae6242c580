from tests.tables.conftest import rig

__all__ = ["rig"]
