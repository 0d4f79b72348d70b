"""All experiments share this: plans, records, clusters with pinned processes."""
