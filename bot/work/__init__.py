"""What a worker does with a job, and what becomes of one that nobody does."""
