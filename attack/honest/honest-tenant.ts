import { type Identity, openAll, type Session } from "../../load/mqtt-client.ts";
import { createTenant, type Tenant } from "../../load/tenant.ts";
import type { Sinks } from "../../server/test/harness/http/sinks.ts";
import type { Service } from "../service.ts";
import type { Monitored } from "./pages.ts";

/** The measured tenant: an ordinary one that stays far from all limits. */
export interface HonestTenant {
  /** Sessions that publish all the time. */
  readonly publishers: readonly Session[];
  /** Devices whose faults page. An address gets at most twenty mails per minute, so each has an operator of its own. */
  readonly monitored: readonly Monitored[];
  /** Connects and disconnects. */
  readonly visitor: Identity;
  readonly keys: readonly string[];
}

const PUBLISHERS = 8;
const MONITORED = 6;
const KEYS = 6;
const RULES = [{ metric: "temperature", operator: "gt", value: 90, severity: "critical" }];
const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export async function createHonestTenant(service: Service, sinks: Sinks): Promise<HonestTenant> {
  const tenant = await createTenant(service, "honest");
  await tenant.assignRules([RULES]);
  const keys = await Promise.all(Array.from({ length: KEYS }, () => tenant.newKey()));
  const identities = await tenant.newDevices(PUBLISHERS, "Pump");
  const [visitor] = await tenant.newDevices(1, "Visitor");
  const monitored: Monitored[] = [];
  for (let index = 0; index < MONITORED; index++) monitored.push(await createMonitored(service, tenant, sinks, index));
  return { publishers: await openAll(service.mqtt, identities), monitored, visitor: visitor!, keys };
}

/** Creates a device in two groups: one pages the operator on shift, the other calls a webhook. */
async function createMonitored(service: Service, tenant: Tenant, sinks: Sinks, index: number): Promise<Monitored> {
  const operator = `operator-${index}@honest.example`;
  const hookPath = `/honest/${index}`;
  await service.shell("user.create", { tenant: tenant.slug, email: operator, role: "operator" });
  const shift = await service.shell("shift.create", {
    tenant: tenant.slug,
    name: `Around the clock ${index}`,
    timeZone: "UTC",
    startTime: "00:00",
    endTime: "00:00",
    daysOfWeek: EVERY_DAY,
    users: [operator],
  });
  const team = await tenant.newGroup({ name: `Team ${index}`, escalation: [{ afterMinutes: 0, notify: "shift" }] });
  await tenant.call(200, "POST", `/groups/${team}/shifts`, { shiftId: shift.id });
  const room = await tenant.newGroup({
    name: `Room ${index}`,
    channels: [{ type: "webhook", target: sinks.hookUrl(hookPath) }],
    escalation: [{ afterMinutes: 0, notify: "channels" }],
  });
  const identities = await tenant.newDevices(1, `Monitored ${index}`, [team, room]);
  const [session] = await openAll(service.mqtt, identities);
  session!.socket.resume();
  return { ...session!, operator, hookPath };
}
