"""Where memories are kept."""
