type Problem = string | null | undefined;

/** A check of level `must` on the connections of this process, which no database knows. */
export interface ProcessCheck {
  /** The rule, as a sentence. */
  name: string;
  /** The consequences while it is broken, and the remedy. */
  advice: string;
  /** Returns the problem; null if there is none, `undefined` if this process has nothing to check. */
  problem(): Problem | Promise<Problem>;
}

const WITHOUT_NATS = "messages do not reach other processes; start the servers, or repair the network";

/** Returns the check of a process that needs no connection of its own. @param probe makes one */
export function natsProbe(probe: () => Promise<string | null>): ProcessCheck {
  return { name: "NATS accepts a connection of this service", advice: WITHOUT_NATS, problem: probe };
}

/**
 * Returns the check of a process that may be connected.
 *
 * @param isConnected undefined in a process that does not connect
 */
export function natsCheck(servers: readonly string[], isConnected: () => boolean | undefined): ProcessCheck {
  return {
    name: "this process is connected to NATS",
    advice: WITHOUT_NATS,
    problem: () => {
      const connected = isConnected();
      if (connected === undefined) return undefined;
      return connected ? null : `no server of MUSTER_NATS_URL answers (${servers.join(", ")})`;
    },
  };
}

/** Returns the check of the ingest stream. @param problem undefined if no stream is used */
export function streamCheck(problem: ProcessCheck["problem"]): ProcessCheck {
  return {
    name: "the ingest stream accepts messages",
    advice:
      "devices get no acknowledgements; make sure that a majority of the NATS servers runs, and that the stream is stored and not full",
    problem,
  };
}
