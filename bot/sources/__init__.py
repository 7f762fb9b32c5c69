"""How files, folders, pages and tables become snapshots, and stay up to date."""
