"""What a text says of itself besides its words: pairs of question and answer, facts, headings."""
