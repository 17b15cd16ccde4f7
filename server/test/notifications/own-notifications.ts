import assert from "node:assert/strict";
import { HOUR } from "../../src/lib/clock.ts";
import type { TestTenant } from "../harness/devices.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";
import type { NotificationEnvironment } from "./environment.ts";

/** How users see and choose their own notifications, below `/api/admin`. */
export const BASE = "/notifications";
export const NONE = { accountEmail: true, quietHours: null, onlyOnShift: false, criticalToo: false };

export async function ok(answer: ReturnType<SignedIn["call"]>, status = 200) {
  const { status: answered, json, text } = await answer;
  assert.equal(answered, status, text);
  return json;
}

export async function refused(answer: ReturnType<SignedIn["call"]>, status: number, code: string) {
  const { status: answered, json } = await answer;
  assert.deepEqual([answered, json.error], [status, code]);
}

export const choose = (user: SignedIn, choices: object) =>
  ok(user.call("PUT", BASE, { body: { ...NONE, ...choices } }));

/** Creates a user who is alone on duty in a group with these steps, and an anomaly of this severity. */
export async function paged(
  { server, anomalies, groupOnDuty }: NotificationEnvironment,
  tenant: TestTenant,
  severity: "critical" | "major",
  more: object = {},
) {
  const user = await signIn(server, tenant, "operator");
  const group = await groupOnDuty(tenant, { escalation: [{ afterMinutes: 0, notify: "shift" }], ...more }, [
    user.userId,
  ]);
  const { open, resolve } = await anomalies(tenant, [group.id], 1, { severity });
  return { user, group, open: async () => (await open())[0]!, resolve };
}

/** Returns the pages to an address, without its invitation and tests. */
export const pagesTo = ({ sinks }: NotificationEnvironment, email: string) =>
  sinks.mailsTo(email).filter(({ subject }) => subject.includes("Pump 1"));

/** Returns quiet hours that have begun and end in `hours`. */
export function quietFor({ server }: NotificationEnvironment, hours: number) {
  const at = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString().slice(11, 16);
  return { quietHours: { startTime: at(-HOUR), endTime: at(hours * HOUR), timeZone: "UTC" } };
}
