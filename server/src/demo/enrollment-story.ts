import { join } from "node:path";
import { enroll } from "@muster/agent";
import { ADMIN, enrollPump, type Plant, PUMPS, publishAll, TENANT } from "./plant.ts";
import { PublicApi } from "./public-api.ts";
import { eventually, expect, refusal, type Step } from "./step.ts";

const READINGS = 20;
const SCOPES = [
  "devices:read",
  "devices:write",
  "provisioning:read",
  "provisioning:write",
  "device-certificates:read",
  "device-certificates:issue",
  "device-certificates:revoke",
  "groups:write",
  "shifts:read",
  "shifts:write",
  "thresholds:write",
];

const PRESENCE_MS = 10_000;

/** Resolves once all devices are shown online: presence is written in batches, shortly behind the CONNACK. */
async function allOnline(plant: Plant): Promise<void> {
  await eventually("every device online", PRESENCE_MS, async () => {
    const { items } = await plant.api.expect(200, "GET", "/devices?connectivity=online");
    return items.length === PUMPS.length || undefined;
  });
}

/** From an empty service to pumps that publish. */
export function enrollmentStory(chance: () => number): Step[] {
  return [
    {
      title: "a tenant, an admin, a device type and a scoped API key",
      run: async (plant) => {
        const { command } = plant.service;
        await command("tenant.create", { slug: TENANT, name: "Demo waterworks" });
        const admin = await command("user.create", { tenant: TENANT, email: ADMIN, role: "admin" });
        const type = await command("device-type.create", {
          tenant: TENANT,
          name: "Pump",
          publishTopics: ["telemetry/{deviceId}"],
        });
        const key = await command("key.create", { tenant: TENANT, user: ADMIN, name: "demo", scopes: SCOPES });
        plant.adminPassword = String(admin.password);
        plant.deviceTypeId = String(type.id);
        plant.api = new PublicApi(plant.service.baseUrl, plant.service.ca, String(key.key));
        return `${admin.email}, key ${key.id}`;
      },
    },
    {
      title: `a claim for ${PUMPS.length} devices, minted over the public API`,
      run: async (plant) => {
        const claim = await plant.api.expect(201, "POST", "/provisioning/claims", {
          intendedName: "Pump",
          intendedDeviceTypeId: plant.deviceTypeId,
          maxUses: PUMPS.length,
        });
        plant.claimCode = claim.claimCode;
        return `CLAIM-…-${claim.claimCode.slice(-4)}, ${PUMPS.length} uses, expires ${claim.expiresAt}`;
      },
    },
    {
      title: "the devices enroll over HTTPS, each with its own key and CSR",
      run: async (plant) => {
        plant.pumps = await Promise.all(PUMPS.map((name, index) => enrollPump(plant, name, index)));
        return plant.pumps.map((pump) => pump.identity.device.deviceId).join(", ");
      },
    },
    {
      title: "the used-up claim is refused",
      run: async (plant) => {
        const stranger = {
          server: plant.service.baseUrl,
          claimCode: plant.claimCode,
          hardwareFingerprint: "STRANGER",
          hardwareModel: "Simulated pump",
          stateDir: join(plant.folder, "stranger"),
          caPem: plant.service.ca,
        };
        return (await refusal(enroll(stranger), "claim_exhausted")).message;
      },
    },
    {
      title: "the devices connect to the broker over mTLS",
      run: async (plant) => {
        await Promise.all(plant.pumps.map((pump) => pump.agent.connect({ retry: false })));
        await allOnline(plant);
        return `${PUMPS.length} online at ${plant.service.brokerUrl}`;
      },
    },
    {
      title: "they publish; every acknowledged message is stored",
      run: async (plant) => {
        for (let round = 0; round < READINGS; round++) await publishAll(plant, chance);
        const acknowledged = plant.pumps.reduce((sum, { agent }) => sum + agent.counts.acknowledged, 0);
        expect(acknowledged === READINGS * PUMPS.length, `${acknowledged} acknowledged`);
        return `${acknowledged} messages acknowledged`;
      },
    },
  ];
}
