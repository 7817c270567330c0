"""The whole path with a real LLM, small or not: `python -m benchmarks.real_model`, or `make test-llm`."""
