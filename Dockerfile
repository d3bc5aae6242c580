# Parlour in a small image: no compiler, no root, nothing to be written but its data in a volume.
#
# The base is pinned to a minor version on one release of its system. To pin it to one exact image, give its digest, as
# `docker buildx imagetools inspect python:3.12-slim-bookworm` tells it: --build-arg BASE=python@sha256:…
ARG BASE=python:3.12-slim-bookworm

FROM ${BASE} AS build
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
# Exact versions, by their hashes; the extras postgres and cjk are among them, and what builds the package.
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY cogs ./cogs
COPY rendering ./rendering
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation . \
    && python -m pip uninstall --yes setuptools

FROM ${BASE}
COPY --from=build /venv /venv
RUN useradd --system --uid 1000 --user-group --home-dir /data --shell /usr/sbin/nologin parlour \
    && install -d -o parlour -g parlour -m 0700 /data
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data
# So that the DATA_DIR=data of .env.example is the volume as well.
WORKDIR /
VOLUME /data
# By number, so that an orchestrator sees that it is not root.
USER 1000
STOPSIGNAL SIGTERM

# The bot leaves a beat in its data folder: alive, connected to Discord, and nothing waiting for long.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-m", "bot.health"]

CMD ["python", "-m", "bot", "run"]
