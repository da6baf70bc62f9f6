"""Memory over the Model Context Protocol: tools, resources and prompts, over stdio and in the server at ``/mcp``."""
