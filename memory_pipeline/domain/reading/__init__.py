"""What reads rank by, return and keep back."""
