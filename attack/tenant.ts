import { enrolled, newApplicant, redemptionBody } from "../bench/load/enroll.ts";
import { type HttpsClient, openHttps } from "../bench/load/https-client.ts";
import type { Identity } from "../bench/load/mqtt-client.ts";
import { sleep, until } from "../bench/measure.ts";
import type { Service } from "./service.ts";

/** Redemptions at once: more keep no core busier. */
const PARALLEL = 4;
const CONFIRM_SECONDS = 60;
const SCOPES = ["devices:read", "devices:write", "groups:read", "groups:write", "shifts:write", "thresholds:write"];

/** A tenant as an administrator sets it up: over the shell and the public API. */
export interface Tenant {
  readonly slug: string;
  /** Publishes on `telemetry/{deviceId}`. */
  readonly deviceTypeId: string;
  /** A key is limited to 120 requests a minute. */
  newKey(): Promise<string>;
  newDevices(count: number, name: string, groupIds?: readonly string[]): Promise<Identity[]>;
  /** Calls the public API. @throws Error for another status */
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers with a shape of its own
  call(status: number, method: string, path: string, body?: object): Promise<any>;
  /** Creates a group and waits until its webhooks have confirmed that they want its messages. @returns its id */
  newGroup(body: object): Promise<string>;
  /** Creates threshold packs, one for each list of rules, and assigns all of them to the device type. */
  assignRules(packs: readonly (readonly object[])[]): Promise<void>;
}

export async function createTenant(service: Service, slug: string): Promise<Tenant> {
  await service.command("tenant.create", { slug, name: slug });
  return await setUpTenant(service, slug);
}

/** Gives a tenant that exists an admin and a device type. */
export async function setUpTenant(service: Service, slug: string): Promise<Tenant> {
  const { command } = service;
  const admin = `admin@${slug}.example`;
  await command("user.create", { tenant: slug, email: admin, role: "admin" });
  const publishTopics = ["telemetry/{deviceId}"];
  const type = await command("device-type.create", { tenant: slug, name: "Pump", publishTopics });
  const newKey = async () =>
    (await command("key.create", { tenant: slug, user: admin, name: "attack", scopes: SCOPES })).key;
  const key = await newKey();
  const call: Tenant["call"] = (status, method, path, body) =>
    withClient(service, async (client) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const answer = await client.send(method, `/api/v1${path}`, text, { "x-api-key": key });
      if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
      return answer.body === "" ? undefined : JSON.parse(answer.body);
    });
  return {
    slug,
    deviceTypeId: type.id,
    newKey,
    call,
    newDevices: async (count, name, groupIds = []) => {
      const wanted = { tenant: slug, intendedName: name, intendedDeviceTypeId: type.id, maxUses: count };
      const { claimCode } = await command("claim.create", { ...wanted, intendedGroupIds: groupIds });
      return await redeem(service, claimCode, count);
    },
    newGroup: async (body) => {
      const { id } = await call(201, "POST", "/groups", body);
      await until("the confirmation of its channels", CONFIRM_SECONDS, async () => {
        const { unconfirmedChannels = [] } = await call(200, "GET", `/groups/${id}`);
        // Slower than `until` polls, for the rate limit of the key.
        if (unconfirmedChannels.length > 0) await sleep(1000);
        return unconfirmedChannels.length === 0;
      });
      return id;
    },
    assignRules: async (packs) => {
      const thresholdIds: string[] = [];
      for (const [index, rules] of packs.entries())
        thresholdIds.push((await call(201, "POST", "/thresholds", { name: `Pack ${index}`, rules })).id);
      await command("device-type.update", { id: type.id, thresholdIds });
    },
  };
}

async function redeem(service: Service, claimCode: string, count: number): Promise<Identity[]> {
  const identities: Identity[] = [];
  let started = 0;
  const worker = () =>
    withClient(service, async (client) => {
      while (started++ < count) {
        const applicant = newApplicant();
        const body = redemptionBody(claimCode, applicant);
        const answer = await client.send("POST", "/api/provisioning/claim", body);
        identities.push(enrolled(answer, applicant));
      }
    });
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, worker));
  return identities;
}

async function withClient<T>(service: Service, work: (client: HttpsClient) => Promise<T>): Promise<T> {
  const client = await openHttps(service.https);
  return await work(client).finally(() => client.close());
}
