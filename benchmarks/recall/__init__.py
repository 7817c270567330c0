"""How well memories are found on public conversations: `python -m benchmarks.recall DIRECTORY`."""
