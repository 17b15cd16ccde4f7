import type { FaultyCluster } from "./cluster.ts";
import type { Fault } from "./draw.ts";

/** What a fault does, and what ends it. */
export interface Injection {
  /** Of what, for the progress. */
  readonly target: string;
  begin(): Promise<void> | void;
  /** Ends what lasts. */
  end(): Promise<void> | void;
  /** Starts what was killed, once all devices are back without it. */
  repair(): Promise<void> | void;
}

const NOTHING = () => undefined;

/** @returns undefined where there is nothing that the fault could happen to */
export async function injectionOf(
  cluster: FaultyCluster,
  { kind, target, isSilent }: Fault,
): Promise<Injection | undefined> {
  const { postgres } = cluster;
  const node = cluster.nodes[target % cluster.nodes.length]!;
  const lasting = { end: NOTHING, repair: NOTHING };
  const manner = isSilent ? "silent" : "broken";
  switch (kind) {
    case "worker": {
      const workers = node.pids("serve");
      return { target: node.name, begin: () => node.signal(workers.slice(0, 1), "SIGKILL"), ...lasting };
    }
    case "jobs":
      return { target: node.name, begin: () => node.signal(node.pids("jobs"), "SIGKILL"), ...lasting };
    case "supervisor":
      return { target: node.name, begin: () => node.kill("supervisor"), end: NOTHING, repair: () => node.start() };
    case "node":
      return { target: node.name, begin: () => node.kill(), end: NOTHING, repair: () => node.start() };
    case "restart":
      return { target: node.name, begin: () => node.command("restart", {}), ...lasting };
    case "frozen": {
      const pids = node.pids();
      const [begin, end] = (["SIGSTOP", "SIGCONT"] as const).map((signal) => () => node.signal(pids, signal));
      return { target: node.name, begin: begin!, end: end!, repair: NOTHING };
    }
    case "database cut":
    case "nats cut": {
      const proxies = kind === "nats cut" ? node.nats : [node.database];
      const begin = () => {
        for (const proxy of proxies) isSilent ? proxy.pause() : proxy.vanish();
      };
      const end = () => {
        for (const proxy of proxies) proxy.heal();
      };
      return { target: `${node.name}, ${manner}`, begin, end, repair: NOTHING };
    }
    case "database paused":
      return { target: "PostgreSQL", begin: () => postgres.pause(), end: () => postgres.resume(), repair: NOTHING };
    case "database killed":
      return { target: "PostgreSQL", begin: () => postgres.kill(), end: () => postgres.start(), repair: NOTHING };
    case "nats":
    case "nats leader": {
      const index = kind === "nats" ? target : await cluster.streamLeader();
      const server = index === undefined ? undefined : cluster.nats[index];
      if (!server) return undefined;
      return { target: `server ${index! + 1}`, begin: () => server.kill(), end: () => server.start(), repair: NOTHING };
    }
  }
}
