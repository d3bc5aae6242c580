"""The game's texts, a folder for each language."""
