import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AgentError, enroll, loadIdentity, openSession } from "@muster/agent";
import { enrollPump, fingerprintOf, type Plant, PUMPS, publishAll } from "./plant.ts";
import { PublicApi } from "./public-api.ts";

/** One step of the demo: what it shows, and the work, which resolves with a fact to print or throws. */
export interface Step {
  title: string;
  run(plant: Plant): Promise<string>;
}

const TENANT = "demo";
const ADMIN = "admin@demo.example";
const READINGS = 20;
const SCOPES = [
  "devices:read",
  "provisioning:read",
  "provisioning:write",
  "device-certificates:read",
  "device-certificates:issue",
  "device-certificates:revoke",
];

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

async function refusal(work: Promise<unknown>, code: string): Promise<AgentError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AgentError && error.code === code) return error;
  throw new Error(`expected a refusal with ${code}, got ${error ?? "success"}`);
}

/** Devices shown online, once they all are or after 10 s: presence is written in batches, shortly behind the CONNACK. */
async function onlineCount(plant: Plant): Promise<number> {
  const giveUp = AbortSignal.timeout(10_000);
  for (;;) {
    const { items } = await plant.api.expect(200, "GET", "/devices?connectivity=online");
    if (items.length === PUMPS.length || giveUp.aborted) return items.length;
    await setTimeout(50);
  }
}

/** The certificate's serial number as the books print it. */
const serialOf = (pump: Plant["pumps"][number]) => pump.identity.certificate.serialNumber.toLowerCase();

export function story(chance: () => number): Step[] {
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
        const online = await onlineCount(plant);
        expect(online === PUMPS.length, `${online} devices online, expected ${PUMPS.length}`);
        return `${online} online at ${plant.service.brokerUrl}`;
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
    {
      title: "a leaf without its chain, and another device's client id, are refused",
      run: async (plant) => {
        const [pump, other] = plant.pumps as [Plant["pumps"][number], Plant["pumps"][number]];
        await refusal(openSession({ ...pump.identity, fullchainPem: pump.identity.certificate.toString() }), "refused");
        const posing = {
          ...pump.identity,
          device: { ...pump.identity.device, deviceId: other.identity.device.deviceId },
        };
        await refusal(openSession(posing), "refused");
        expect(other.agent.connected, "the other device lost its session");
        return `${other.name} kept its session`;
      },
    },
    {
      title: "a re-enrollment without proof is refused",
      run: async (plant) => {
        const claim = await plant.api.expect(201, "POST", "/provisioning/claims", { intendedName: "Pump" });
        const impostor = {
          server: plant.service.baseUrl,
          claimCode: claim.claimCode,
          hardwareFingerprint: fingerprintOf(0),
          hardwareModel: "Simulated pump",
          stateDir: join(plant.folder, "impostor"),
          caPem: plant.service.ca,
        };
        const { message } = await refusal(enroll(impostor), "reenrollment_proof_required");
        await plant.api.expect(204, "DELETE", `/provisioning/claims/${claim.id}`);
        return message;
      },
    },
    {
      title: "a device renews; its old certificate stops working, its session never does",
      run: async (plant) => {
        const pump = plant.pumps[1]!;
        const old = pump.identity;
        await pump.agent.renew();
        pump.identity = await loadIdentity(pump.stateDir);
        expect(pump.identity.fullchainPem !== old.fullchainPem, "the certificate did not change");
        await refusal(openSession(old), "refused");
        await pump.agent.report({ ...pump.reading });
        return `now serial ${serialOf(pump)}`;
      },
    },
    {
      title: "a bundle is issued for a device that cannot make its own key",
      run: async (plant) => {
        const { deviceId } = plant.pumps[2]!.identity.device;
        const path = "/device-certificates";
        const refused = await plant.api.expect(409, "POST", path, { deviceId });
        expect(refused.error === "device_self_enrolled", refused.error);
        const bundle = await plant.api.expect(201, "POST", path, { deviceId, acknowledgeSelfEnrollmentOverride: true });
        expect(bundle.privateKeyPem.includes("PRIVATE KEY"), "no key in the bundle");
        return `serial ${bundle.serialNumber}`;
      },
    },
    {
      title: "a revocation drops the session at once, and the next connect is refused",
      run: async (plant) => {
        const pump = plant.pumps[4]!;
        const { items } = await plant.api.expect(
          200,
          "GET",
          `/device-certificates?deviceId=${pump.identity.device.deviceId}&status=active`,
        );
        const dropped = new Promise<void>((resolve) => pump.agent.once("disconnected", () => resolve()));
        await plant.api.expect(204, "DELETE", `/device-certificates/${items[0].id}`);
        await dropped;
        await refusal(openSession(pump.identity), "refused");
        await pump.agent.close();
        plant.pumps = plant.pumps.filter((one) => one !== pump);
        return `${pump.name}, serial ${serialOf(pump)}`;
      },
    },
    {
      title: "the books tell it all",
      run: async (plant) => {
        const audit = await plant.api.expect(200, "GET", "/device-certificates/audit?limit=200");
        const kinds = new Map<string, number>();
        for (const { kind } of audit.items) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        expect(kinds.get("device_cert_enrolled") === PUMPS.length, "enrollments missing from the audit");
        for (const kind of ["device_cert_minted", "device_cert_renewed", "device_cert_revoked"]) {
          expect(kinds.has(kind), `${kind} missing from the audit`);
        }
        const doctor = await plant.service.command("doctor", { deep: true });
        expect(doctor.healthy !== false, JSON.stringify(doctor));
        return [...kinds].map(([kind, count]) => `${count} ${kind.replace("device_cert_", "")}`).join(", ");
      },
    },
  ];
}
