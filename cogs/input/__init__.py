"""What people do: from an interaction to the function that handles it, and what is told when that fails."""
