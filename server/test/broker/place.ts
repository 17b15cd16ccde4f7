import type { CreateEngine } from "../../src/broker/engine.ts";

/** Where a suite of the broker runs. */
export interface Place {
  createEngine: CreateEngine;
  /** Nodes on one database. Each connection of a client is to the next of them. */
  nodes: number;
  /** What carries messages between several: NATS, or as between the workers of one machine sockets. */
  bus: "nats" | "sockets";
  /** `MUSTER_INGEST`. */
  ingest: "direct" | "stream";
}

/** What is meant where only the engine is given. */
export const ONE_NODE = { nodes: 1, bus: "sockets", ingest: "direct" } as const;

export function placeOf(given: CreateEngine | Place): Place {
  return typeof given === "function" ? { createEngine: given, ...ONE_NODE } : given;
}

/** One node that stores directly. */
export const isAlone = ({ nodes, ingest }: Place): boolean => nodes === 1 && ingest === "direct";
