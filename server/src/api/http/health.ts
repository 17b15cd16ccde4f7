import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "./other-methods.ts";

export interface Readiness {
  /** Asks the database whether it answers. */
  askDatabase(): Promise<boolean>;
  /** Returns the current state of the process without asking the database. */
  ownState(): OwnState;
}

/**
 * `needed`: whether the broker answers, whether the process has the present master key, and whether it may have MQTT sessions
 * (`lease`: the database has stored a heartbeat of it lately). It cannot work without any of them. `nats`: whether messages get to other machines. Without them devices are served and their messages stored, so a load balancer
 * must not take the process out of use.
 */
interface OwnState {
  needed: Record<"broker" | "masterKey" | "lease", boolean>;
  nats: boolean | undefined;
  /** Whether the ingest stream takes messages, where it is used. */
  stream: boolean | undefined;
}

/** How long an answer of the database is used: a client without credentials must not make the database work at each request. */
const DATABASE_ANSWER_MS = 1_000;

/** Liveness and readiness for probes; without credentials. */
export function installHealth(app: FastifyInstance, { askDatabase, ownState }: Readiness): void {
  const databaseAnswers = atMostOncePer(DATABASE_ANSWER_MS, askDatabase);
  app.get("/healthz", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
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

/** Computes at most once in that time; those who ask while it is computed get the same. */
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
