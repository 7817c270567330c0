"""What langmem_ext costs, as ratios to something measured in the same run: `python -m benchmarks`."""
