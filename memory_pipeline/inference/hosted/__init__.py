"""Model servers that speak OpenAI's protocol: requests, replies, limits, retries."""
