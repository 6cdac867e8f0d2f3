# A tag can be moved. `node tools/pin-images.ts` says what to give as BASE_DIGEST, as @sha256:…
ARG BASE=docker.io/library/node:24-bookworm-slim
ARG BASE_DIGEST=

FROM ${BASE}${BASE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Node comes with the base, so that no package has to run a script to install.
RUN npm ci --ignore-scripts
COPY CHANGELOG.md LICENSE README.md tsconfig.json ./
COPY src ./src
COPY tools/build.ts tools/chunks.ts tools/lean.ts ./tools/
COPY rules ./rules
COPY schemas ./schemas
COPY docs/runbooks ./docs/runbooks
COPY deploy/demo ./deploy/demo
COPY deploy/scenarios ./deploy/scenarios
RUN node tools/build.ts /package
# What is in the image, for scanners: a CycloneDX list of all packages with their versions and hashes. npm misses the
# packages of development that are not there, and with --omit=dev leaves out those that are an option of such a one.
RUN npm prune --omit=dev --ignore-scripts
RUN npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx >sbom.cdx.json

FROM ${BASE}${BASE_DIGEST}
WORKDIR /app
# For its owner alone, as aggwatch makes it: a fresh volume takes this over.
RUN mkdir -m 700 /data && chown node:node /data
COPY --from=build /package ./
# The name that the commands have in the docs: docker exec CONTAINER aggwatch status
RUN ln -s /app/bin/aggwatch.js /usr/local/bin/aggwatch
COPY --from=build /app/sbom.cdx.json /usr/share/aggwatch/sbom.cdx.json

# By default glibc's malloc gives threads arenas of their own, each of which keeps what was freed in it. With one for
# all threads, 30 to 50 MB less are kept, for the same processor time (docs/operations.md, "How much memory it needs").
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    AGGWATCH_DATA=/data \
    AGGWATCH_LISTEN=0.0.0.0:9733 \
    AGGWATCH_RULES=/app/rules

# Nothing but the journal is written, and only here: the root file system may be read-only.
VOLUME /data
EXPOSE 9733
USER node

# The server's port is what follows the last colon of AGGWATCH_LISTEN. The base has no curl, and another Node for each
# check would take as much memory as the daemon has to spare: bash opens the connection itself. With another address than
# 0.0.0.0 or [::], or with --listen, give a health check of your own.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["timeout", "4", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${AGGWATCH_LISTEN##*:} && printf 'GET /healthz HTTP/1.0\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]

# The exec form makes node PID 1. It handles SIGTERM, as src/main.ts installs handlers; it starts
# no other process, so that there is nothing to reap, and needs no init.
ENTRYPOINT ["node", "lib/main.js"]
CMD ["run"]

# What registries and scanners show (OCI's annotations). At the end, as they change with each build.
ARG BASE
ARG REVISION=
LABEL org.opencontainers.image.title="aggwatch" \
      org.opencontainers.image.description="A watchdog for trading aggregators: polls, judges by rules, repairs what a rule may repair, and tells people." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.base.name="${BASE}"
