from tests.tables.conftest import database, rig

__all__ = ["database", "rig"]
