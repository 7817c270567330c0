"""What a user's handle can do, by theme; `UserMemory` is all of it.

Sync and async doors run the same steps: a blocking part, and for changes a part on the user's
strand. They differ only in how they wait.
"""
