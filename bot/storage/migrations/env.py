"""Run by alembic: applies the scripts on the connection, and in the transaction, it was given."""

from alembic import context

from bot.storage.tables import metadata

# Alembic runs this file under this name; importing it as a module does nothing.
if __name__ == "env_py":
    context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
    context.run_migrations()
