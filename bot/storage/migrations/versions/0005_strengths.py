"""How strong the computer player at a seat is. Where nothing is stored, as for seats from before, it is the
middle one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("seats", sa.Column("level", sa.Text(), nullable=True))
