import { randomBytes } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import type { Shell } from "../../load/muster.ts";
import { natsName, startNatsServers } from "../../load/nats.ts";
import { type PrivatePostgres, startPostgres } from "../../load/postgres.ts";
import { databaseProxy } from "../../server/test/harness/database/database-proxy.ts";
import { NATS_VERSION_FLOOR, type NatsServer } from "../../server/test/harness/processes/nats-server.ts";
import type { Options } from "../options.ts";
import { Node, type Proxies } from "./node.ts";
import type { Part } from "./part-meter.ts";

/** Connections of PostgreSQL for one node: of a single process, and of several. */
const [CONNECTIONS, CONNECTIONS_OF_WORKERS] = [40, 80];
const INGEST_STREAM = "MUSTER_INGEST";
/** All devices come from one address, and all at the same time. */
const SETTINGS = {
  MUSTER_DEVICE_REQUESTS_PER_MINUTE: "0",
  MUSTER_LIMIT_MQTT_CONNECTIONS_PER_ADDRESS: "100000",
  MUSTER_LIMIT_MQTT_CONNECTS_PER_MINUTE: "0",
  MUSTER_LIMIT_MQTT_UNAUTHENTICATED: "20000",
};
/** Settings of the caller's environment that do not apply to the nodes; all others do. */
const NOT_INHERITED = ["DATABASE_URL", "DATA_DIR", "NATS_URL", "MASTER_KEY_FILE", "INGEST"];

type ClusterPlan = Pick<Options, "nats" | "ingest" | "workers" | "database" | "faults"> & { start: number };

/** Nodes, NATS servers and PostgreSQL on loopback, which the simulator has started. With faults, each can fail. */
export class Cluster {
  readonly nodes: Node[] = [];
  nats: readonly NatsServer[] = [];
  /** Undefined where the database is embedded, or not started by the simulator. */
  postgres: PrivatePostgres | undefined;
  /** The address of the database, past all proxies; undefined for the embedded one. */
  databaseUrl: string | undefined;

  /** Starts everything that `plan` names. When a part fails to start, the others end too. */
  static async start(plan: ClusterPlan, progress: (line: string) => void): Promise<Cluster> {
    for (const name of NOT_INHERITED) delete process.env[`MUSTER_${name}`];
    const cluster = new Cluster();
    try {
      await cluster.#start(plan, progress);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get https() {
    return { urls: this.nodes.map(({ ports }) => `https://localhost:${ports.http}`), ca: this.nodes[0]!.ca };
  }

  get mqtt() {
    return this.nodes.map(({ ports }) => ({ host: "127.0.0.1", servername: "localhost", port: ports.mqtt }));
  }

  /** Sends a command to a node that runs. */
  readonly shell: Shell = (name, body) => this.nodes.find(({ isRunning }) => isRunning)!.shell(name, body);

  /** Returns the metrics addresses of the nodes that run. */
  metricsUrls(): string[] {
    return this.nodes.flatMap(({ metricsUrl }) => metricsUrl ?? []);
  }

  /** Returns the running processes by kind. */
  parts(): Part[] {
    return [
      { name: "nodes", pids: this.nodes.flatMap((node) => node.pids("supervisor")) },
      { name: "NATS", pids: this.nats.map(({ pid }) => pid) },
      { name: "PostgreSQL", pids: this.postgres ? [this.postgres.pid] : [] },
    ];
  }

  /** Returns the index of the NATS server that leads the ingest stream; undefined where there is no stream. */
  async streamLeader(): Promise<number | undefined> {
    const servers = this.nats.map(({ port }) => `127.0.0.1:${port}`);
    const connection = await connect({ servers, ignoreClusterUpdates: true });
    try {
      const answer = await connection.request(`$JS.API.STREAM.INFO.${INGEST_STREAM}`, "", { timeout: 5_000 });
      const { cluster } = answer.json<{ cluster?: { leader?: string } }>();
      const index = this.nats.findIndex((_, each) => natsName(each) === cluster?.leader);
      return index === -1 ? undefined : index;
    } finally {
      await connection.close();
    }
  }

  /** Ends everything and removes its folders. */
  async stop(): Promise<void> {
    this.postgres?.resume();
    const proxies = this.nodes.flatMap((node) => [node.proxies.database ?? [], node.proxies.nats].flat());
    for (const proxy of proxies) proxy.heal();
    await Promise.all(this.nodes.map((node) => node.remove()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(this.nats.map((each) => each.stop()));
    await this.postgres?.stop();
  }

  async #start(plan: ClusterPlan, progress: (line: string) => void): Promise<void> {
    const { start, nats, ingest, workers, database, faults } = plan;
    this.databaseUrl = database;
    if (database === undefined && start > 1) {
      progress("PostgreSQL starts");
      this.postgres = await startPostgres((faults > 0 ? CONNECTIONS_OF_WORKERS : CONNECTIONS) * start);
      this.databaseUrl = await this.postgres.createDatabase("simulation");
    }
    if (nats > 0) {
      progress(`${nats} NATS server${nats === 1 ? " starts" : "s start"}`);
      this.nats = await startNatsServers(nats, ingest === "stream");
    }
    const settings = {
      ...SETTINGS,
      MUSTER_MASTER_KEY: randomBytes(32).toString("base64"),
      ...(nats > 0 && { MUSTER_INGEST: ingest, MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR }),
      ...(faults > 0 && { MUSTER_WORKERS: String(workers) }),
    };
    progress(start === 1 ? "a node starts" : `${start} nodes start`);
    while (this.nodes.length < start) this.nodes.push(await this.#newNode(settings, faults > 0));
    // The first one creates the schema.
    await this.nodes[0]!.start();
    const others = await Promise.allSettled(this.nodes.slice(1).map((node) => node.start()));
    for (const each of others) if (each.status === "rejected") throw each.reason;
  }

  /** @param canFail whether its connections to the servers lead through proxies of its own */
  async #newNode(settings: Record<string, string>, canFail: boolean): Promise<Node> {
    const urls = this.nats.map(({ url }) => url);
    const proxies: Proxies = {
      database: canFail ? await databaseProxy(this.databaseUrl!) : undefined,
      nats: canFail ? await Promise.all(urls.map((url) => databaseProxy(url))) : [],
    };
    const database = proxies.database?.url ?? this.databaseUrl;
    const nats = canFail ? proxies.nats.map(({ url }) => url) : urls;
    return await Node.create(`node ${this.nodes.length + 1}`, proxies, {
      ...settings,
      ...(database !== undefined && { MUSTER_DATABASE_URL: database }),
      ...(nats.length > 0 && { MUSTER_NATS_URL: nats.join(",") }),
    });
  }
}
