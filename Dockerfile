# The server runs its TypeScript as it is, so there is nothing to build: install, copy, run.
FROM node:24-slim AS dependencies
WORKDIR /muster
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY agent/package.json agent/
# The image brings Node itself; the optional Node of the npm scripts stays out.
RUN npm ci --omit=dev --omit=optional

FROM node:24-slim
ENV NODE_ENV=production MUSTER_DATA_DIR=/data
WORKDIR /muster
COPY --from=dependencies /muster ./
COPY LICENSE ./
COPY server server
COPY agent agent
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8443 8883
STOPSIGNAL SIGTERM
# On loopback the certificate's name is not what is being checked.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "require('https').get({ port: process.env.MUSTER_HTTP_PORT ?? 8443, path: '/readyz', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "server/bin/muster.mjs"]
CMD ["serve"]
