import type { FastifyInstance } from "fastify";
import { VERSION } from "../../lib/installed/version.ts";
import { refuseOtherMethods } from "./other-methods.ts";

export interface Readiness {
  /** Asks the database whether it answers. */
  askDatabase(): Promise<boolean>;
  /** Returns the current state of the process without asking the database. */
  ownState(): OwnState;
}

/**
 * The state of the process. `needed`: whether the broker answers, whether the process has the present master key, and
 * whether it may have MQTT sessions (`lease`: the database has recently stored its heartbeat). The process cannot work
 * without any of them. `nats`: whether messages reach other machines. Without them devices are served and their
 * messages stored, so a load balancer must not remove the process.
 */
interface OwnState {
  needed: Record<"broker" | "masterKey" | "lease", boolean>;
  nats: boolean | undefined;
  /** Whether the ingest stream accepts messages, if it is used. */
  stream: boolean | undefined;
}

/**
 * The time for which an answer of the database is reused, so that a client without credentials cannot make the database
 * work at each request.
 */
const DATABASE_ANSWER_MS = 1_000;

/** Installs liveness and readiness for probes, without credentials. */
export function installHealth(app: FastifyInstance, { askDatabase, ownState }: Readiness): void {
  const databaseAnswers = atMostOncePer(DATABASE_ANSWER_MS, askDatabase);
  app.get("/healthz", (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok", version: VERSION }),
  );
  app.get("/readyz", async (_request, reply) => {
    const database = await databaseAnswers();
    const { needed, nats, stream } = ownState();
    const ready = database && Object.values(needed).every(Boolean);
    reply.code(ready ? 200 : 503).header("cache-control", "no-store");
    return {
      status: ready ? "ok" : "unavailable",
      database,
      ...needed,
      ...(nats === undefined ? {} : { nats }),
      ...(stream === undefined ? {} : { stream }),
    };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}

/** Wraps `compute` so that it runs at most once per interval; concurrent callers share the result. */
function atMostOncePer<T>(ms: number, compute: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined;
  return () => {
    if (latest) return latest;
    const computing = compute();
    const forget = () => {
      if (latest === computing) latest = undefined;
    };
    latest = computing;
    computing.then(() => setTimeout(forget, ms).unref(), forget);
    return computing;
  };
}
