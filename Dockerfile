# The base is the Node that `npm ci` brings (package.json), by its exact version.
#
# The server runs its TypeScript directly: install, copy, run. Only the admin app is built, in a separate stage.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /muster
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY agent/package.json agent/
# The image contains Node, so the optional Node of the npm scripts is omitted. The app is not built here.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim AS app
WORKDIR /muster
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY agent/package.json agent/
COPY admin/package.json admin/
RUN npm ci --ignore-scripts
# Vite reads the TypeScript settings of the root, which the app's settings extend.
COPY tsconfig.json ./
COPY openapi openapi
COPY admin admin
RUN npm run build

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production MUSTER_DATA_DIR=/data
WORKDIR /muster
COPY --from=dependencies /muster ./
COPY LICENSE ./
COPY server server
COPY agent agent
COPY --from=app /muster/admin/dist admin/dist
RUN ln -s /muster/server/bin/muster.mjs /usr/local/bin/muster
RUN install -d -m 0700 -o node -g node /data
USER node
VOLUME /data
EXPOSE 8443 8883
STOPSIGNAL SIGTERM
# The check does not verify the certificate's name, which differs from the loopback address.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "require('https').get({ port: process.env.MUSTER_HTTP_PORT ?? 8443, path: '/readyz', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["muster"]
CMD ["serve"]
