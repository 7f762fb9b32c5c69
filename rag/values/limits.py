"""The budgets of one task and one document, by name."""

from rag.values.base import Value


class Limits(Value):
    """Each in the unit its name says; going over one is an error that names it."""

    sources_per_task: int = 20
    queries_per_plan: int = 3
    candidates_per_query: int = 12
    candidate_characters: int = 45_000
    selected_chunks: int = 8
    evidence_characters: int = 10_000
    evidence_tokens: int = 12_000
    document_characters: int = 2_000_000
    document_chunks: int = 20_000
    document_paragraphs: int = 100_000
    document_elements: int = 1_500_000
    document_bytes: int = 50 * 1024 * 1024
    archive_bytes: int = 25 * 1024 * 1024
    archive_members: int = 5_000
    archive_unpacked_bytes: int = 200 * 1024 * 1024
    archive_ratio: int = 100
    parse_seconds: float = 20.0
    parse_cpu_seconds: int = 10
    parse_memory_bytes: int = 1024 * 1024 * 1024
    recognise_pages: int = 40
    recognise_page_seconds: float = 60.0
    recognise_page_cpu_seconds: int = 30
    recognise_seconds: float = 300.0
    parsed_bytes: int = 24 * 1024 * 1024
    chunk_target_tokens: int = 512
    chunk_safe_tokens: int = 435
    chunk_overlap_tokens: int = 43
    line_characters: int = 1_600
    question_characters: int = 4_000
    reader_calls: int = 6
    reader_seconds: float = 60.0
    task_seconds: float = 180.0
    clarification_rounds: int = 2
    plan_titles: int = 50
    low_score: float = 0.0
