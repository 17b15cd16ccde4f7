import { enroll } from "@muster/agent";
import { randomIds } from "../lib/ids.ts";
import { ADMIN, type DemoState, TENANT } from "./demo-state.ts";
import { PublicApi } from "./public-api.ts";
import { setUpService } from "./set-up.ts";
import { enrollOptions, enrollPump, PUMPS, publishAll } from "./simulated-pump.ts";
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

const PRESENCE_MS = 40_000;

/** From an empty service to publishing pumps. */
export const enrollmentSteps: readonly Step[] = [
  {
    title: "The set-up link opens the admin app and creates the tenant and its first admin",
    run: async (state) => {
      const { service } = state;
      const admin = { tenantName: "Demo waterworks", tenantSlug: TENANT, email: ADMIN };
      state.adminPassword = await setUpService(service, admin, randomIds);
      return `watch the demo at ${service.baseUrl}, signed in as ${ADMIN} with the password ${state.adminPassword}`;
    },
  },
  {
    title: "The shell creates a device type and an API key",
    run: async (state) => {
      const { command, baseUrl, ca } = state.service;
      const publishTopics = ["telemetry/{deviceId}"];
      const type = await command("device-type.create", { tenant: TENANT, name: "Pump", publishTopics });
      const key = await command("key.create", { tenant: TENANT, user: ADMIN, name: "demo", scopes: SCOPES });
      state.deviceTypeId = String(type.id);
      state.api = new PublicApi(baseUrl, ca, String(key.key));
      return `Pump, which publishes on ${publishTopics[0]}; key ${key.id}`;
    },
  },
  {
    title: `The public API creates a claim for ${PUMPS.length} devices`,
    run: async (state) => {
      const claim = await state.api.expect(201, "POST", "/provisioning/claims", {
        intendedName: "Pump",
        intendedDeviceTypeId: state.deviceTypeId,
        maxUses: PUMPS.length,
      });
      state.claimCode = claim.claimCode;
      return `CLAIM-…-${claim.claimCode.slice(-4)}, ${PUMPS.length} uses, expires ${claim.expiresAt}`;
    },
  },
  {
    title: "The devices enroll over HTTPS, each with its own key and CSR",
    run: async (state) => {
      state.pumps = await Promise.all(PUMPS.map((name, index) => enrollPump(state, name, index)));
      return state.pumps.map((pump) => pump.identity.device.deviceId).join(", ");
    },
  },
  {
    title: "An enrollment with the used-up claim is refused",
    run: async (state) => {
      const late = enrollOptions(state, { fingerprint: "DEMO-LATE", stateFolder: "late-device" });
      return (await refusal(enroll(late), "claim_exhausted")).message;
    },
  },
  {
    title: "The devices connect to the broker over mTLS",
    run: async (state) => {
      await Promise.all(state.pumps.map((pump) => pump.agent.connect({ retry: false })));
      await allOnline(state);
      return `${PUMPS.length} online at ${state.service.brokerUrl}`;
    },
  },
  {
    title: "The devices publish, and every message is acknowledged",
    run: async (state) => {
      for (let round = 0; round < READINGS; round++) await publishAll(state.pumps, state.random);
      const acknowledged = state.pumps.reduce((sum, { agent }) => sum + agent.counts.acknowledged, 0);
      expect(acknowledged === READINGS * PUMPS.length, `${acknowledged} acknowledged`);
      return `${acknowledged} messages stored`;
    },
  },
];

/** Waits for every device to be online: presence is written in batches, shortly after the CONNACK. */
async function allOnline({ api }: DemoState): Promise<void> {
  await eventually("every device online", PRESENCE_MS, async () => {
    const { items } = await api.expect(200, "GET", "/devices?connectivity=online");
    return items.length === PUMPS.length || undefined;
  });
}
