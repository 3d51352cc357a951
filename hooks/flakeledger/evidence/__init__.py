"""Evidence: tests replayed under seeds, in a pinned environment, in a clean worktree of one commit."""
