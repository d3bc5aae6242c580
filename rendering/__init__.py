"""Pictures: views in, bytes out. Knows neither Discord nor storage."""
