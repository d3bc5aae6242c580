"""The rules core: legality, chance and records, with nothing of Discord in it."""
