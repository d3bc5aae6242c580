"""Hints: whether a table's players may have them, who has agreed to that in the lobby, and how many each has
had. Where nothing is stored, as for tables from before, nobody may, and nobody has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("tables", sa.Column("hints", sa.Boolean(), nullable=True))
    op.add_column("seats", sa.Column("agreed", sa.Boolean(), nullable=True))
    op.add_column("seats", sa.Column("hints", sa.Integer(), nullable=True))
    op.add_column("seats", sa.Column("hinted", sa.Text(), nullable=True))
