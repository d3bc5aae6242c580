"""Discord's side: one module per game, and tables, profile, help, admin."""
