import type { CreateEngine } from "../../src/broker/engine-interface.ts";

/** The environment in which a suite of the broker runs. */
export interface Place {
  createEngine: CreateEngine;
  /** The number of nodes on one database. A client's connections go to each node in turn. */
  nodes: number;
  /** The bus between several nodes: NATS, or sockets as between the workers of one machine. */
  bus: "nats" | "sockets";
  /** The value of `MUSTER_INGEST`. */
  ingest: "direct" | "stream";
}

/** The default where only the engine is given. */
export const ONE_NODE = { nodes: 1, bus: "sockets", ingest: "direct" } as const;

export function placeOf(given: CreateEngine | Place): Place {
  return typeof given === "function" ? { createEngine: given, ...ONE_NODE } : given;
}

/** Whether the place is one node that stores directly. */
export const isAlone = ({ nodes, ingest }: Place): boolean => nodes === 1 && ingest === "direct";
