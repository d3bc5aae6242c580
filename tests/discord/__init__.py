"""Discord's wire on loopback, and a judge of what is sent to it. Start with README.md and `driver.World`."""
