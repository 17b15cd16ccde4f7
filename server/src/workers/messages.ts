/** A message from the supervisor to a worker. */
export type ToWorker =
  | { type: "metrics"; id: number }
  /** For the jobs worker: the process of this node has ended. */
  | { type: "reap"; nodeId: string }
  /** The answer to `restart`. */
  | { type: "restarted"; restarted: number; problem?: string };

/** A message from a worker to the supervisor. */
export type ToSupervisor =
  | ({ type: "ready" } & ReadyWorker)
  | { type: "failed"; message: string }
  | { type: "metrics"; id: number; metrics: object[] }
  | { type: "restart" };

export interface ReadyWorker {
  nodeId: string;
  httpUrl: string;
  brokerUrl: string;
  /** Only from the jobs worker. */
  caFile?: string;
  /** Only from the jobs worker at the first start of the service; `expiresAt` in ISO 8601. */
  link?: { url: string; expiresAt: string };
}
