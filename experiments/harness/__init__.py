"""What all experiments share: plans, records, clusters with pinned processes."""
