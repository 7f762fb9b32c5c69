"""The jobs that wait, in a database, before Slack hears 200."""
