"""OpenAI's Batch API: what is asked together, at half the price, within a day."""
