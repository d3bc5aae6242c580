"""Who has a notice to get is found without looking at every open table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    behind = sa.text("due > notified")
    op.create_index("seats_owed", "seats", ["table_id"], sqlite_where=behind, postgresql_where=behind)
