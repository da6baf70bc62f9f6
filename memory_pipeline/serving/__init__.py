"""The server: memory over HTTP. ``app.create_app`` makes the application, ``run.serve`` runs it."""
