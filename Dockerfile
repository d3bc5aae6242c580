# Parlour in a small image: no compiler, no root, its data in a volume.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data

WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY cogs ./cogs
COPY rendering ./rendering
RUN python -m pip install --no-cache-dir --no-deps . \
    && useradd --system --uid 1000 --home-dir /data --shell /usr/sbin/nologin parlour \
    && install -d -o parlour -g parlour /data

USER parlour
VOLUME /data
# So that the DATA_DIR=data of .env.example is the volume as well.
WORKDIR /
STOPSIGNAL SIGTERM

# `run` touches the beat file while its event loop turns and Discord is connected.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-m", "bot.health"]

CMD ["python", "-m", "bot", "run"]
