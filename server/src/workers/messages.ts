/** What the supervisor sends to a worker. */
export type ToWorker =
  | { type: "metrics"; id: number }
  /** The process of this node has ended: to the jobs worker. */
  | { type: "reap"; nodeId: string }
  /** The answer to `restart`. */
  | { type: "restarted"; restarted: number; problem?: string };

/** What a worker sends to the supervisor. */
export type ToSupervisor =
  | ({ type: "ready" } & ReadyWorker)
  | { type: "failed"; message: string }
  | { type: "metrics"; id: number; metrics: object[] }
  | { type: "restart" };

export interface ReadyWorker {
  nodeId: string;
  httpUrl: string;
  brokerUrl: string;
  /** Of the jobs worker. */
  caFile?: string;
  /** Of the jobs worker at the first start of the service; `expiresAt` in ISO 8601. */
  link?: { url: string; expiresAt: string };
}
