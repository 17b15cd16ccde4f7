import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Caller } from "../../src/access/access.ts";
import { type Authorities, createAuthorities, fixedMasterKey } from "../../src/authorities/authorities.ts";
import type { BrokerDeps } from "../../src/broker/broker.ts";
import type { Database } from "../../src/db/database.ts";
import type { Features } from "../../src/features.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics } from "../../src/lib/metrics/metrics.ts";
import { Secret } from "../../src/lib/secret.ts";
import { openTestDatabase, secondDatabase } from "../harness/database/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";
import { startJetStream } from "../harness/processes/nats-server.ts";
import { settingsOf, streamSettingsOf } from "../harness/processes/nats-settings.ts";
import { storedBy } from "../harness/stored-messages.ts";
import { ONE_NODE, type Place } from "./place.ts";

export interface Device {
  deviceId: string;
  certificateId: string;
  key: string;
  cert: string;
  fullchain: string;
  ca: string;
  topic: string;
  /** The only filter that it may subscribe to. */
  filter: string;
}

/** The features of one node. */
type Node = Features & { readonly database: Database };

/** The features of one process, or of several on one database, with authorities, a database and a tenant. */
export interface BrokerFeatures extends Features {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly nodes: readonly Node[];
  /** The bus that connects the nodes. */
  readonly bus: Pick<BrokerDeps["config"], "nats"> & Pick<BrokerDeps, "busFolder">;
  readonly authorities: Authorities;
  readonly caller: Caller;
  enroll(options?: { caller?: Caller }): Promise<Device>;
  newTenant(): Promise<Caller>;
  /** Resolves when all acknowledged messages and those of QoS 0 are stored. */
  stored(): Promise<void>;
  /** Closes the database under the running features, permanently. */
  loseDatabase(): Promise<void>;
  close(): Promise<void>;
}

const DEVICE_TYPE = {
  name: "Pump",
  publishTopics: ["telemetry/{deviceId}", "status/{deviceId}"],
  subscribeTopics: ["commands/{deviceId}"],
};

/** @param limits that replace the defaults */
export async function openFeatures(
  limits: Partial<Limits> = {},
  { nodes: count, bus, ingest }: Omit<Place, "createEngine"> = ONE_NODE,
): Promise<BrokerFeatures> {
  const database = await openTestDatabase();
  const nats = bus === "nats" ? await startJetStream() : undefined;
  const busFolder = bus === "sockets" && count > 1 ? await mkdtemp(join(tmpdir(), "muster-bus-")) : undefined;
  const clock = new FakeClock();
  const masterKeys = fixedMasterKey(new Secret(Buffer.alloc(32, 7)));
  const deps = { clock, ids: randomIds, logger: createLogger("silent"), masterKeys };
  const metrics = createMetrics();
  const authorities = await createAuthorities({
    ...deps,
    database,
    publicHost: "localhost",
    encryptAgain: [],
  });
  const nodes: Node[] = [];
  for (let n = 0; n < count; n++) {
    const own =
      n === 0 ? { database, metrics } : { database: await secondDatabase(database), metrics: createMetrics() };
    const stream = ingest === "stream" ? streamSettingsOf(nats!) : undefined;
    const features = testFeatures({ ...deps, ...own, authorities, limits: { ...DEFAULT_LIMITS, ...limits }, stream });
    await features.connections.startNode();
    await features.telemetry.startStream();
    nodes.push({ ...features, database: own.database });
  }
  const features = togetherWith(nodes);
  const { access, devices } = features;
  const deviceTypes = new Map<string, string>();
  const newTenant = async (): Promise<Caller> => {
    const slug = `t${randomBytes(4).toString("hex")}`;
    await access.createTenant({ slug, name: slug });
    const caller = await access.systemCaller(slug);
    deviceTypes.set(slug, (await devices.createDeviceType(caller, DEVICE_TYPE)).id);
    return caller;
  };
  const caller = await newTenant();
  let lost = false;
  return {
    ...features,
    clock,
    database,
    nodes,
    bus: { nats: nats && count > 1 ? settingsOf(nats) : undefined, busFolder },
    authorities,
    caller,
    newTenant,
    enroll: ({ caller: owner = caller } = {}) => enroll(features, owner, deviceTypes.get(owner.tenantSlug)!),
    stored: storedBy(nodes),
    loseDatabase: async () => {
      await features.connections.flush();
      lost = true;
      for (const node of nodes) await node.database.close();
    },
    close: async () => {
      for (const { telemetry } of nodes) await telemetry.stopStream();
      for (const node of lost ? [] : nodes.toReversed()) {
        await node.telemetry.drain();
        await node.connections.stopNode();
        await node.access.close();
        if (node === nodes[0]) await authorities.close();
        await node.database.close();
      }
      await database.remove();
      await nats?.stop();
      if (busFolder) await rm(busFolder, { recursive: true });
    },
  };
}

/** Returns the features of the first node, with answers about sessions and refusals that cover all nodes. */
function togetherWith(nodes: readonly Node[]): Node {
  const [first] = nodes as [Node];
  const { flush, listRefusals } = first.connections;
  const others = nodes.slice(1);
  const connections: Features["connections"] = {
    ...first.connections,
    flush: async () => {
      await Promise.all([flush(), ...others.map((node) => node.connections.flush())]);
    },
    listRefusals: Object.assign(async (...query: Parameters<typeof listRefusals>) => {
      // Each node first stores its own refusals.
      for (const node of others) await node.connections.listRefusals(...query);
      return await listRefusals(...query);
    }, listRefusals),
  };
  return { ...first, connections };
}

export async function enroll(
  { certificates, enrollment }: Pick<Features, "certificates" | "enrollment">,
  caller: Caller,
  deviceTypeId: string,
): Promise<Device> {
  const claim = await enrollment.createClaim(caller, {
    intendedName: "Test pump",
    intendedDeviceTypeId: deviceTypeId,
  });
  const key = await makeKey();
  const answer = await enrollment.redeemClaim(
    { address: "127.0.0.1" },
    {
      claimCode: claim.claimCode,
      hardwareFingerprint: `hw-${randomBytes(8).toString("hex")}`,
      hardwareModel: "Pump",
      agentVersion: "1.0.0",
      csr: makeCsr(key),
    },
  );
  const { deviceId, mqtt: given } = answer;
  const { items } = await certificates.listCertificates(caller, { deviceId, skip: 0, limit: 1 });
  return {
    deviceId,
    certificateId: items[0]!.id,
    key,
    cert: given.clientCert,
    fullchain: given.clientCert + given.clientCertChain,
    ca: given.serverCaBundle,
    topic: given.publishTopics.find((topic) => topic.includes("/telemetry/"))!,
    filter: `${given.topicPrefix}/commands/${deviceId}`,
  };
}
