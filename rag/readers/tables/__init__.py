"""Answers from tables: which row and which column a question names, and nothing by likeness."""
