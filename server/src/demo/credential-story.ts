import { join } from "node:path";
import { enroll, loadIdentity, openSession } from "@muster/agent";
import { fingerprintOf, type Plant, PUMPS } from "./plant.ts";
import { expect, refusal, type Step } from "./step.ts";

/** The certificate's serial number as the books print it. */
const serialOf = (pump: Plant["pumps"][number]) => pump.identity.certificate.serialNumber.toLowerCase();

/** What becomes of certificates while the pumps run, and the books that tell it. */
export function credentialStory(): Step[] {
  return [
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
