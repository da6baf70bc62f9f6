"""What texts say, as the gate's rules compare them: words, numbers, days, claims, denial."""
