"""What durable writes cost, and what they leave of everything else."""
