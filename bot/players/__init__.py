"""Computer players: rules views in, moves out."""
