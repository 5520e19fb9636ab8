"""Programs that measure; each prints ratios taken side by side in one run."""
