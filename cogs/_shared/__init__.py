"""What every cog shares."""
