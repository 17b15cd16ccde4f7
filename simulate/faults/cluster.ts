import { randomBytes } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { natsName, startNatsServers } from "../../load/nats.ts";
import { type PrivatePostgres, startPostgres } from "../../load/postgres.ts";
import { databaseProxy } from "../../server/test/harness/database-proxy.ts";
import { NATS_VERSION_FLOOR, type NatsServer } from "../../server/test/harness/nats-server.ts";
import { type Cluster, SETTINGS, type Shell } from "../target/cluster.ts";
import { FaultyNode } from "./node.ts";

/** Of PostgreSQL, for a node and its worker processes. */
const CONNECTIONS_OF_NODE = 80;
const INGEST_STREAM = "MUSTER_INGEST";

export interface FaultyClusterPlan {
  readonly nodes: number;
  /** Worker processes of a node. */
  readonly workers: number;
  readonly nats: number;
  /** `MUSTER_INGEST` of the nodes. */
  readonly ingest: "direct" | "stream";
}

/** Nodes, NATS servers and PostgreSQL on loopback, each of which can fail as machines and networks do. */
export class FaultyCluster implements Cluster {
  /** Its parts are not measured. */
  readonly metricsUrls = [];
  readonly parts = () => [];
  readonly postgres: PrivatePostgres;
  /** Of the database, past all proxies. */
  readonly databaseUrl: string;
  readonly nats: readonly NatsServer[];
  readonly nodes: readonly FaultyNode[];

  private constructor(parts: Pick<FaultyCluster, "postgres" | "databaseUrl" | "nats" | "nodes">) {
    this.postgres = parts.postgres;
    this.databaseUrl = parts.databaseUrl;
    this.nats = parts.nats;
    this.nodes = parts.nodes;
  }

  /** Starts everything. What has been started ends, too, when a part fails to start. */
  static async start(
    { nodes, workers, nats, ingest }: FaultyClusterPlan,
    progress: (line: string) => void,
  ): Promise<FaultyCluster> {
    progress("PostgreSQL and NATS start");
    const postgres = await startPostgres(CONNECTIONS_OF_NODE * nodes);
    const servers = nats === 0 ? [] : await startNatsServers(nats, ingest === "stream");
    const databaseUrl = await postgres.createDatabase("simulation");
    const settings = {
      ...SETTINGS,
      MUSTER_MASTER_KEY: randomBytes(32).toString("base64"),
      MUSTER_WORKERS: String(workers),
      MUSTER_INGEST: ingest,
      MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR,
    };
    const all: FaultyNode[] = [];
    for (let index = 0; index < nodes; index++) {
      const database = await databaseProxy(databaseUrl);
      const ofNats = await Promise.all(servers.map(({ url }) => databaseProxy(url)));
      all.push(await FaultyNode.create({ name: `node ${index + 1}`, database, nats: ofNats }, settings));
    }
    const cluster = new FaultyCluster({ postgres, databaseUrl, nats: servers, nodes: all });
    try {
      progress(`${nodes} nodes start`);
      // The first one creates the schema.
      await all[0]!.start();
      await Promise.all(all.slice(1).map((node) => node.start()));
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

  get shell(): Shell {
    return (name, body) => this.nodes.find(({ isRunning }) => isRunning)!.command(name, body);
  }

  killNode(index: number): void {
    void this.nodes[index]!.kill();
  }

  killNats(index: number): Promise<void> {
    return this.nats[index]!.kill();
  }

  /** Index of the NATS server that leads the ingest stream; undefined where there is no stream. */
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
    this.postgres.resume();
    for (const { database, nats } of this.nodes) for (const proxy of [database, ...nats]) proxy.heal();
    await Promise.all(this.nodes.map((node) => node.stop()));
    for (const node of this.nodes) node.remove();
    await Promise.all(this.nodes.flatMap(({ database, nats }) => [database, ...nats].map((proxy) => proxy.close())));
    await Promise.all(this.nats.map((each) => each.stop()));
    await this.postgres.stop();
  }
}
