# One image for every process: `docker build -t footnote .`, then `footnote`'s commands as arguments.
FROM python:3.11.14-slim-bookworm AS packages
COPY requirements/extras.txt /tmp/extras.txt
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/extras.txt

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 10001 --create-home --home-dir /data footnote
COPY --from=packages /opt/venv /opt/venv
COPY bot /app/bot
COPY handlers /app/handlers
COPY rag /app/rag
RUN python -m compileall -q /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FOOTNOTE_DATA=/data
USER footnote
WORKDIR /data
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["python", "-m", "bot"]
CMD ["serve"]
