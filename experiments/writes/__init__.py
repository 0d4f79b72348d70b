"""The experiment says what durable writes cost, and what they leave of everything else."""
