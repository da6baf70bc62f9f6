"""Chat models and encoders behind two small protocols, the prompts, and the kept replies."""
