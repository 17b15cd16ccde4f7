import { signal } from "../../load/processes.ts";
import type { Cluster } from "../target/cluster.ts";
import type { Fault } from "./draw.ts";

type Act = () => Promise<unknown> | unknown;

/** A fault's beginning, its end and its repair. */
export interface Injection {
  /** The name of the part, for the progress. */
  readonly target: string;
  readonly begin: Act;
  /** Ends a fault that lasts. */
  readonly end: Act;
  /** Starts a killed part, once all devices are back without it. */
  readonly repair: Act;
}

/** Returns undefined where there is no part that the fault could happen to. */
export async function injectionOf(cluster: Cluster, { kind, target, isSilent }: Fault): Promise<Injection | undefined> {
  const postgres = cluster.postgres!;
  const node = cluster.nodes[target % cluster.nodes.length]!;
  const fault = (name: string, begin: Act, end: Act = () => undefined, repair: Act = () => undefined) => ({
    target: name,
    begin,
    end,
    repair,
  });
  switch (kind) {
    case "worker": {
      const workers = node.pids("serve");
      return fault(node.name, () => signal(workers.slice(0, 1), "SIGKILL"));
    }
    case "jobs":
      return fault(node.name, () => signal(node.pids("jobs"), "SIGKILL"));
    case "supervisor":
    case "node": {
      const begin = () => node.kill(kind === "node" ? undefined : kind);
      return fault(node.name, begin, undefined, () => node.start());
    }
    case "restart":
      return fault(node.name, () => node.shell("restart", {}));
    case "frozen": {
      const pids = node.pids();
      const send = (name: NodeJS.Signals) => () => signal(pids, name);
      return fault(node.name, send("SIGSTOP"), send("SIGCONT"));
    }
    case "database cut":
    case "nats cut": {
      const proxies = kind === "nats cut" ? node.proxies.nats : [node.proxies.database!];
      const begin = () => proxies.map((proxy) => (isSilent ? proxy.pause() : proxy.vanish()));
      const end = () => proxies.map((proxy) => proxy.heal());
      return fault(`${node.name}, ${isSilent ? "silent" : "broken"}`, begin, end);
    }
    case "database paused":
      return fault("PostgreSQL", postgres.pause, postgres.resume);
    case "database killed":
      return fault("PostgreSQL", postgres.kill, postgres.start);
    case "nats":
    case "nats leader": {
      const index = kind === "nats" ? target : await cluster.streamLeader();
      const server = index === undefined ? undefined : cluster.nats[index];
      return server && fault(`server ${index! + 1}`, server.kill, server.start);
    }
  }
}
