"""The proof of the Clock Scan engine: every published figure of it, with its baselines, in one run."""
