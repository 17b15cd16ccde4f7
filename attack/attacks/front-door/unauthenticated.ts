import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeKey } from "../../../server/src/access/keys/api-key.ts";
import type { Attack } from "../../attack.ts";
import { type Pipelines, pipeline } from "../../hostile/pipelines.ts";

/** The MB that the server may gain while one address has a thousand connections (docs/limits.tsv). */
const MEMORY = 150;
const ASSETS = join(import.meta.dirname, "../../../admin/dist/assets");
const random = { bytes: (count: number) => randomBytes(count) };

interface Client {
  readonly name: string;
  readonly what: string;
  readonly connections?: number;
  readonly requestsAWrite?: number;
  readonly reads?: boolean;
  request(count: number): string;
}

/** Returns an attack by a client without credentials that pipelines one kind of request from one address. */
function unauthenticated({ name, what, connections = 20, requestsAWrite = 100, reads = true, request }: Client) {
  const attack: Attack<Pipelines> = {
    name: `front-${name}`,
    what: `${connections} connections of one address pipeline ${what}`,
    memory: MEMORY,
    prepare: async ({ https }) => ({ target: https, connections, requestsAWrite, reads }),
    assault: async (plan, run) => await pipeline(plan, run, request),
  };
  return attack;
}

const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;

let largest: string | undefined;

/** Returns the path of the largest file of the admin app. */
function largestAsset(): string {
  const bytes = (name: string) => statSync(join(ASSETS, name)).size;
  largest ??= readdirSync(ASSETS).sort((a, b) => bytes(b) - bytes(a))[0]!;
  return `/assets/${largest}`;
}

export const unauthenticatedClients: readonly Attack<Pipelines>[] = [
  unauthenticated({ name: "404", what: "unknown addresses", request: (count) => get(`/nothing/${count}`) }),
  unauthenticated({
    name: "many",
    what: "unknown addresses",
    connections: 1_000,
    request: (count) => get(`/nothing/${count}`),
  }),
  unauthenticated({
    name: "unread",
    what: "the largest file of the app and read no answer",
    connections: 1_000,
    requestsAWrite: 250,
    reads: false,
    request: () => get(largestAsset()),
  }),
  unauthenticated({ name: "readyz", what: "/readyz", request: () => get("/readyz") }),
  unauthenticated({
    name: "descriptions",
    what: "the OpenAPI description with gzip",
    request: () => get("/openapi/public.json", "accept-encoding: gzip\r\n"),
  }),
  unauthenticated({
    name: "cookies",
    what: "random session cookies",
    request: () => get("/api/admin/session", `cookie: __Host-muster=${randomBytes(32).toString("base64url")}\r\n`),
  }),
  unauthenticated({
    name: "keys",
    what: "random API keys",
    request: () => get("/api/v1/devices", `x-api-key: ${makeKey(random as never).text}\r\n`),
  }),
  unauthenticated({
    name: "redemptions",
    what: "redemption attempts with random codes",
    request: (count) => {
      const body = JSON.stringify({
        claimCode: `CLAIM-${randomBytes(6)
          .toString("hex")
          .toUpperCase()
          .replace(/(.{4})(?=.)/g, "$1-")}`,
        hardwareFingerprint: `SN-${count}`,
        hardwareModel: "PG-200",
        agentVersion: "1.0.0",
        csr: "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
      });
      const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
      return `POST /api/provisioning/claim HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n${body}`;
    },
  }),
  unauthenticated({
    name: "blanks",
    what: "requests without a header, the smallest that there are",
    requestsAWrite: 3_000,
    request: () => "GET / HTTP/1.1\r\n\r\n",
  }),
];
