import { enroll, loadIdentity, openSession } from "@muster/agent";
import { enrollOptions, fingerprintOf, PUMPS, type SimulatedPump } from "./simulated-pump.ts";
import { expect, refusal, type Step } from "./step.ts";

/** Returns the certificate's serial number in the API's notation. */
const serialOf = (pump: SimulatedPump) => pump.identity.certificate.serialNumber.toLowerCase();

/** Refused identities, renewal, bundle and revocation while the pumps run, and their audit. */
export const certificateSteps: readonly Step[] = [
  {
    title: "The broker refuses a leaf without its chain, and another device's client id",
    run: async ({ pumps }) => {
      const [{ identity }, other] = pumps as [SimulatedPump, SimulatedPump];
      await refusal(openSession({ ...identity, fullchainPem: identity.certificate.toString() }), "refused");
      const { deviceId } = other.identity.device;
      await refusal(openSession({ ...identity, device: { ...identity.device, deviceId } }), "refused");
      expect(other.agent.connected, "the other device lost its session");
      return `${other.name} kept its session`;
    },
  },
  {
    title: "A re-enrollment without proof is refused",
    run: async (state) => {
      const { id, claimCode } = await state.api.expect(201, "POST", "/provisioning/claims", { intendedName: "Pump" });
      const device = { fingerprint: fingerprintOf(0), stateFolder: "impostor" };
      const impostor = enrollOptions({ ...state, claimCode }, device);
      const { message } = await refusal(enroll(impostor), "reenrollment_proof_required");
      await state.api.expect(204, "DELETE", `/provisioning/claims/${id}`);
      return message;
    },
  },
  {
    title: "A device renews: its old certificate is refused, and it keeps publishing",
    run: async ({ pumps }) => {
      const pump = pumps[1]!;
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
    title: "A bundle is issued for a device that cannot create its own key",
    run: async ({ api, pumps }) => {
      const { deviceId } = pumps[2]!.identity.device;
      const path = "/device-certificates";
      const refused = await api.expect(409, "POST", path, { deviceId });
      expect(refused.error === "device_self_enrolled", refused.error);
      const bundle = await api.expect(201, "POST", path, { deviceId, acknowledgeSelfEnrollmentOverride: true });
      expect(bundle.privateKeyPem.includes("PRIVATE KEY"), "no key in the bundle");
      return `serial ${bundle.serialNumber}`;
    },
  },
  {
    title: "A revocation closes the session immediately, and the next connect is refused",
    run: async (state) => {
      const pump = state.pumps[4]!;
      const path = `/device-certificates?deviceId=${pump.identity.device.deviceId}&status=active`;
      const { items } = await state.api.expect(200, "GET", path);
      const closed = new Promise<void>((resolve) => pump.agent.once("disconnected", () => resolve()));
      await state.api.expect(204, "DELETE", `/device-certificates/${items[0].id}`);
      await closed;
      await refusal(openSession(pump.identity), "refused");
      await pump.agent.close();
      state.pumps = state.pumps.filter((each) => each !== pump);
      return `${pump.name}, serial ${serialOf(pump)}`;
    },
  },
  {
    title: "The audit lists every certificate, and doctor finds no broken invariant",
    run: async ({ api, service }) => {
      const audit = await api.expect(200, "GET", "/device-certificates/audit?limit=200");
      const kinds = new Map<string, number>();
      for (const { kind } of audit.items) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      expect(kinds.get("device_cert_enrolled") === PUMPS.length, "the audit lacks enrollments");
      for (const kind of ["device_cert_minted", "device_cert_renewed", "device_cert_revoked"])
        expect(kinds.has(kind), `the audit lacks ${kind}`);
      const doctor = await service.command("doctor", { deep: true });
      expect(doctor.healthy !== false, JSON.stringify(doctor));
      return [...kinds].map(([kind, count]) => `${count} ${kind.replace("device_cert_", "")}`).join(", ");
    },
  },
];
