"""The store: SQLAlchemy Core, one repository, Alembic migrations."""
