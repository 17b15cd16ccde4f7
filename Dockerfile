# The Node of package.json, for two architectures. `npm run release -- --stand-in-base` puts another base in its place.
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS base

# Compiles the service as for the npm package, with the app, and adds exactly the dependencies of the lock file.
FROM base AS build
WORKDIR /muster
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY agent/package.json agent/
COPY admin/package.json admin/
COPY tools/api-client/package.json tools/api-client/
RUN npm ci --ignore-scripts
COPY . .
RUN node tools/release/installation/main.ts /installation

# The service needs no package manager of Node.
FROM base AS system
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/etc/* /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
    /usr/local/bin/docker-entrypoint.sh /tmp/* \
 && ln -s /muster/server/bin/muster.mjs /usr/local/bin/muster
RUN install -d -m 0700 -o node -g node /data

# A removed file would stay in the layers of the base, so all files are copied into one.
FROM scratch
COPY --from=system / /
COPY --from=build /installation /muster
ARG VERSION=unreleased
ARG REVISION=unknown
ARG SOURCE=https://github.com/muster/muster
LABEL org.opencontainers.image.title="Muster" \
      org.opencontainers.image.description="Enroll, connect and watch IoT devices by client certificate" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
# Metrics have no password: only networks of the container reach their port, unless it is published.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production MUSTER_DATA_DIR=/data MUSTER_METRICS_HOST=0.0.0.0
# glibc would raise this threshold once a large block is freed, and then keep the memory with which V8 compiled the
# embedded database (docs/operations/install.md).
ENV MALLOC_TRIM_THRESHOLD_=131072
# The base's user node, as a number, by which Kubernetes sees that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8443 8883 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/muster/server/bin/health-check.mjs"]
ENTRYPOINT ["muster"]
CMD ["serve"]
