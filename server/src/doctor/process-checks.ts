type Problem = string | null | undefined;

/** A check of what this process is connected to, which no database knows. Level `must`. */
export interface ProcessCheck {
  /** The rule, as a sentence. */
  name: string;
  /** What follows while it is broken, and what to do. */
  advice: string;
  /** What is wrong; null: nothing. Undefined: this process has nothing to check. */
  problem(): Problem | Promise<Problem>;
}

const WITHOUT_NATS = "messages do not get to other processes; start the servers, or mend the network";

/** In a process that needs no connection. @param probe makes one */
export function natsProbe(probe: () => Promise<string | null>): ProcessCheck {
  return { name: "NATS accepts a connection of this service", advice: WITHOUT_NATS, problem: probe };
}

/** @param isConnected undefined in a process that does not connect */
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

/** @param problem undefined where no stream is used */
export function streamCheck(problem: ProcessCheck["problem"]): ProcessCheck {
  return {
    name: "the ingest stream takes messages",
    advice:
      "devices get no acknowledgements; see that a majority of the NATS servers runs, and that the stream is stored and not full",
    problem,
  };
}
