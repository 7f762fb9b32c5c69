"""Whether words that a model wrote were given to it by the asker."""

from rag.readers.evidence import all_terms, content
from rag.text.tokenise import is_cjk


def borrowed(words: str, given: str) -> bool:
    """Whether every word, name and number of weight in ``words`` occurs in ``given``.

    Function words are free. Chinese is compared by the character: a sentence put another
    way makes new pairs of the same characters.
    """
    have = all_terms(given)
    return all(term in have or (len(term) > 1 and is_cjk(term)) for term in content(words))
