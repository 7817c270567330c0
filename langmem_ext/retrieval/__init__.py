"""Finding memories: words, vectors, and the fusion of both. Pure: no I/O."""
