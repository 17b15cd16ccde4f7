import { redeemAll } from "./enroll.ts";
import { expectJson, openHttps } from "./https-client.ts";
import { sleep, until } from "./measure.ts";
import type { Identity } from "./mqtt-client.ts";
import type { MusterProcess } from "./muster.ts";

const CONFIRM_SECONDS = 60;
/** The most uses of a claim. */
export const USES_A_CLAIM = 100;
/** Devices that enroll from one loopback address: the server limits its requests per minute. */
const AN_ADDRESS = 500;
const SCOPES = [
  "devices:read",
  "devices:write",
  "commands:write",
  "groups:read",
  "groups:write",
  "shifts:write",
  "thresholds:write",
  "device-certificates:read",
  "device-certificates:revoke",
];

type Service = Pick<MusterProcess, "https" | "shell">;

/** A tenant as an administrator sets it up: through the shell and the public API. */
export interface Tenant {
  readonly slug: string;
  /** Its devices publish on `telemetry/{deviceId}`. */
  readonly deviceTypeId: string;
  /** Creates an API key, which admits 120 requests a minute. */
  newKey(): Promise<string>;
  /** Creates claims. @returns their codes, which admit {@link USES_A_CLAIM} devices each unless `maxUses` is given */
  newClaims(
    count: number,
    about?: { maxUses?: number; intendedName?: string; groupIds?: readonly string[] },
  ): Promise<string[]>;
  newDevices(count: number, name?: string, groupIds?: readonly string[]): Promise<Identity[]>;
  /** Calls the public API. @throws Error for another status */
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers with a shape of its own
  call(status: number, method: string, path: string, body?: object): Promise<any>;
  /** Creates a group and waits until its webhooks are confirmed. @returns its id */
  newGroup(body: object): Promise<string>;
  /** Creates a threshold pack for each list of rules, and assigns exactly these to the device type. */
  assignRules(packs: readonly (readonly object[])[]): Promise<void>;
}

export async function createTenant(service: Service, slug: string): Promise<Tenant> {
  await service.shell("tenant.create", { slug, name: slug });
  return await setUpTenant(service, slug);
}

/** Creates an admin and a device type in a tenant that exists. */
export async function setUpTenant({ shell, https }: Service, slug: string): Promise<Tenant> {
  const admin = `admin@${slug}.example`;
  await shell("user.create", { tenant: slug, email: admin, role: "admin" });
  const about = { name: "Pump", publishTopics: ["telemetry/{deviceId}"] };
  const { id: deviceTypeId } = await shell("device-type.create", { tenant: slug, ...about });
  const newKey: Tenant["newKey"] = async () =>
    (await shell("key.create", { tenant: slug, user: admin, name: "load", scopes: SCOPES })).key;
  const key = await newKey();
  const call: Tenant["call"] = async (status, method, path, body) => {
    const client = await openHttps(https);
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = expectJson(client, status, method, `/api/v1${path}`, text, { "x-api-key": key });
    return await sent.finally(() => client.close());
  };
  const newClaims: Tenant["newClaims"] = async (
    count,
    { maxUses = USES_A_CLAIM, intendedName = "Pump", groupIds = [] } = {},
  ) => {
    const wanted = { tenant: slug, maxUses, intendedName, intendedDeviceTypeId: deviceTypeId };
    const codes: string[] = [];
    while (codes.length < count)
      codes.push((await shell("claim.create", { ...wanted, intendedGroupIds: groupIds })).claimCode);
    return codes;
  };
  return {
    slug,
    deviceTypeId,
    newKey,
    newClaims,
    call,
    newDevices: async (count, intendedName, groupIds) => {
      const identities: Identity[] = [];
      while (identities.length < count) {
        const maxUses = Math.min(USES_A_CLAIM, count - identities.length);
        const named = intendedName === undefined ? {} : { intendedName };
        const [code] = await newClaims(1, { maxUses, ...named, ...(groupIds && { groupIds }) });
        const localAddress = `127.0.2.${Math.floor(identities.length / AN_ADDRESS) + 1}`;
        identities.push(...(await redeemAll({ ...https, localAddress }, code!, maxUses)));
      }
      return identities;
    },
    newGroup: async (body) => {
      const { id } = await call(201, "POST", "/groups", body);
      await until("the confirmation of its channels", CONFIRM_SECONDS, async () => {
        const { unconfirmedChannels = [] } = await call(200, "GET", `/groups/${id}`);
        // `until` polls faster than the key's rate limit admits.
        if (unconfirmedChannels.length > 0) await sleep(1000);
        return unconfirmedChannels.length === 0;
      });
      return id;
    },
    assignRules: async (packs) => {
      const thresholdIds: string[] = [];
      for (const [index, rules] of packs.entries())
        thresholdIds.push((await call(201, "POST", "/thresholds", { name: `Pack ${index}`, rules })).id);
      await shell("device-type.update", { id: deviceTypeId, thresholdIds });
    },
  };
}
