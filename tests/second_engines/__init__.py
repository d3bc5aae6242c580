"""Second engines, slow and plain, written from the rule pages alone: what the first ones are held against."""
