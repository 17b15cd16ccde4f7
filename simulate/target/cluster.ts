import { randomBytes } from "node:crypto";
import { type MusterProcess, newDataDir, startMuster } from "../../load/muster.ts";
import { startNatsServers } from "../../load/nats.ts";
import { type PrivatePostgres, startPostgres } from "../../load/postgres.ts";
import { sendCommand } from "../../server/src/control/client.ts";
import { NATS_VERSION_FLOOR, type NatsServer } from "../../server/test/harness/nats-server.ts";
import type { Address } from "../load/protocol.ts";
import type { HttpsTarget } from "./api.ts";
import type { Part } from "./part-meter.ts";

/** Of PostgreSQL, for one node and its worker processes. */
const CONNECTIONS_OF_NODE = 40;
/** All devices come from one address, and all at once. */
export const SETTINGS = {
  MUSTER_DEVICE_REQUESTS_PER_MINUTE: "0",
  MUSTER_LIMIT_MQTT_CONNECTIONS_PER_ADDRESS: "100000",
  MUSTER_LIMIT_MQTT_CONNECTS_PER_MINUTE: "0",
  MUSTER_LIMIT_MQTT_UNAUTHENTICATED: "20000",
};

/** A command of the service's control socket. @throws Error when the service refuses it */
// biome-ignore lint/suspicious/noExplicitAny: each command answers with fields of its own
export type Shell = (name: string, body: object) => Promise<any>;

/** Nodes of Muster on loopback, with their database and NATS servers, which the simulator has started. */
export interface Cluster {
  readonly https: HttpsTarget;
  readonly mqtt: readonly Address[];
  readonly shell: Shell;
  /** Undefined where it is embedded, or not started by the simulator. */
  readonly postgres: PrivatePostgres | undefined;
  /** Of all nodes. */
  readonly metricsUrls: readonly string[];
  /** What runs, with the ids of its processes. */
  parts(): Part[];
  /** Ends a node by SIGKILL. @param index from 0 */
  killNode(index: number): void;
  /** The same of a NATS server. */
  killNats(index: number): Promise<void>;
  /** Ends everything and removes its folders. */
  stop(): Promise<void>;
}

export interface ClusterPlan {
  readonly nodes: number;
  /** NATS servers. */
  readonly nats: number;
  /** `MUSTER_INGEST` of the nodes. */
  readonly ingest: "direct" | "stream";
  /** An empty database; undefined for one of its own: PostgreSQL for several nodes, embedded for one. */
  readonly databaseUrl: string | undefined;
}

interface Node {
  readonly muster: MusterProcess;
  readonly dataDir: string;
  isKilled: boolean;
}

/** Of the caller's environment; all other settings apply to the nodes. */
const NOT_INHERITED = [
  "MUSTER_DATABASE_URL",
  "MUSTER_DATA_DIR",
  "MUSTER_NATS_URL",
  "MUSTER_MASTER_KEY_FILE",
  "MUSTER_INGEST",
];

/** Starts everything that `plan` names. What has been started ends, too, when a part fails to start. */
export async function startCluster(plan: ClusterPlan, progress: (line: string) => void): Promise<Cluster> {
  for (const name of NOT_INHERITED) delete process.env[name];
  const endings: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
  };
  try {
    const { settings, nats, postgres } = await startEnvironment(plan, endings, progress);
    progress(`${plan.nodes === 1 ? "a node starts" : `${plan.nodes} nodes start`}`);
    // The first one creates the schema.
    const first = await startNode(settings, endings);
    const others = await Promise.allSettled(Array.from({ length: plan.nodes - 1 }, () => startNode(settings, endings)));
    const nodes = [first, ...others.map(startedOf)];
    return {
      ...addressesOf(nodes),
      shell: shellOf(nodes),
      postgres,
      metricsUrls: nodes.map(({ muster }) => muster.metricsUrl),
      parts: () => [
        { name: "nodes", pids: nodes.filter(({ isKilled }) => !isKilled).map(({ muster }) => muster.pid) },
        { name: "NATS", pids: nats.map(({ pid }) => pid) },
        { name: "PostgreSQL", pids: postgres ? [postgres.pid] : [] },
      ],
      killNode: (index) => kill(nodes[index]!),
      killNats: (index) => nats[index]!.kill(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Database and NATS servers. @returns with the settings of all nodes */
async function startEnvironment(
  { nodes, nats, ingest, databaseUrl }: ClusterPlan,
  endings: (() => Promise<void> | void)[],
  progress: (line: string) => void,
): Promise<{
  settings: Record<string, string>;
  nats: readonly NatsServer[];
  postgres: PrivatePostgres | undefined;
}> {
  const settings: Record<string, string> = { ...SETTINGS, MUSTER_MASTER_KEY: randomBytes(32).toString("base64") };
  let postgres: PrivatePostgres | undefined;
  if (databaseUrl !== undefined) settings.MUSTER_DATABASE_URL = databaseUrl;
  else if (nodes > 1) {
    progress("PostgreSQL starts");
    const started = await startPostgres(CONNECTIONS_OF_NODE * nodes);
    postgres = started;
    endings.push(() => started.stop());
    settings.MUSTER_DATABASE_URL = await started.createDatabase("simulation");
  }
  const servers: NatsServer[] = [];
  if (nats > 0) {
    progress(`${nats} NATS server${nats === 1 ? " starts" : "s start"}`);
    servers.push(...(await startNatsServers(nats, ingest === "stream")));
    endings.push(async () => void (await Promise.all(servers.map((each) => each.stop()))));
    settings.MUSTER_NATS_URL = servers.map(({ url }) => url).join(",");
    settings.MUSTER_TEST_NATS_VERSION_FLOOR = NATS_VERSION_FLOOR;
    settings.MUSTER_INGEST = ingest;
  }
  return { settings, nats: servers, postgres };
}

async function startNode(settings: Record<string, string>, endings: (() => Promise<void> | void)[]): Promise<Node> {
  const dataDir = newDataDir();
  endings.push(dataDir.remove);
  const muster = await startMuster(dataDir.path, undefined, settings);
  endings.push(() => muster.stop());
  return { muster, dataDir: dataDir.path, isKilled: false };
}

function startedOf(node: PromiseSettledResult<Node>): Node {
  if (node.status === "rejected") throw node.reason;
  return node.value;
}

function addressesOf(nodes: readonly Node[]): Pick<Cluster, "https" | "mqtt"> {
  const [{ muster }] = nodes as [Node];
  return {
    https: { urls: nodes.map((node) => `https://localhost:${node.muster.https.port}`), ca: muster.https.ca },
    mqtt: nodes.map((node) => ({ host: "127.0.0.1", servername: "localhost", port: node.muster.mqtt.port })),
  };
}

function shellOf(nodes: readonly Node[]): Shell {
  return async (name, body) => {
    const node = nodes.find(({ isKilled }) => !isKilled)!;
    const answer = await sendCommand(node.dataDir, name, body);
    if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
    return answer.result;
  };
}

function kill(node: Node): void {
  node.isKilled = true;
  process.kill(node.muster.pid, "SIGKILL");
}
