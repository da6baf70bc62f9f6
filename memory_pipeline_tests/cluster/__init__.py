"""Real Ray on two processors, and a real S3 server."""
