from tests.tables.conftest import home

__all__ = ["home"]
