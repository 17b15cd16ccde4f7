import type { GroupRecord, NewGroup } from "../../src/groups/groups.ts";
import type { NewRule } from "../../src/rules/rules.ts";
import { assignPacks, sendValues } from "../harness/anomalies.ts";
import { confirmChannels } from "../harness/confirm-channels.ts";
import { onPostgres } from "../harness/database/database.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { type Sinks, startSinks } from "../harness/http/sinks.ts";
import { startServer, type TestServer } from "../harness/server.ts";

export const HOT: NewRule = { metric: "temperature", operator: "gt", value: 90, severity: "critical" };
const RULES_OF_PACK = 50;
const ALL_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export type NotificationEnvironment = Awaited<ReturnType<typeof startEnvironment>>;

/** A service with a mail server and a webhook receiver, and the actions of the suites in this folder. */
export async function startEnvironment(limits: Record<string, string> = {}) {
  const sinks = await startSinks();
  const env = { ...sinks.env, ...limits };
  const server = await startServer({ env });
  /** Another process on the same database, or the same process on the embedded database, which has only one. */
  const second = onPostgres ? await startServer({ share: server, env }) : server;

  return {
    sinks,
    server,
    second,
    ...actions(server, sinks, second),
    /** Returns the sum of a metric over both processes; `series` is its name with its labels. */
    async measured(series: string): Promise<number> {
      const texts = await Promise.all([...new Set([server, second])].map(({ app }) => app.metrics.text()));
      const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line.startsWith(`${series} `));
      return lines.reduce((sum, line) => sum + Number(line.slice(series.length)), 0);
    },
    async stop() {
      if (second !== server) await second.stop();
      await server.stop();
      await sinks.stop();
    },
  };
}

/** The people, groups and anomalies of a tenant, created by the use cases of one server. */
export function actions(server: TestServer, sinks: Sinks, second = server) {
  const { app, clock } = server;
  let devices = 0;

  async function user(tenant: TestTenant, name: string): Promise<{ id: string; email: string }> {
    const email = `${name}@${tenant.slug}.example`;
    const { id } = await app.access.createUser(await app.access.systemCaller(tenant.slug), { email, role: "operator" });
    return { id, email };
  }

  /** Confirms the group's channels as their receivers do. */
  async function confirm(tenant: TestTenant, group: GroupRecord): Promise<void> {
    if (group.unconfirmedChannels.length === 0) return;
    await app.notifications.runDue();
    await confirmChannels(sinks, server.ca, group, () => app.groups.getGroup(tenant.caller, group.id));
  }

  return {
    user,
    newTenant: () => newTenant(server),
    /** Creates a group whose shift is on duty around the clock. */
    async groupOnDuty(tenant: TestTenant, input: Partial<NewGroup>, onDuty: string[], timeZone = "Europe/Berlin") {
      const group = await app.groups.createGroup(tenant.caller, { name: "Pump hall", ...input });
      await confirm(tenant, group);
      const times = { timeZone, startTime: "00:00", endTime: "00:00", daysOfWeek: [...ALL_DAYS] };
      const shift = await app.groups.createShift(tenant.caller, { name: "Always", userIds: onDuty, ...times });
      return await app.groups.assignShift(tenant.caller, group.id, shift.id);
    },
    /** Opens this many anomalies of one device in the groups. */
    async anomalies(
      tenant: TestTenant,
      groupIds: string[],
      count = 1,
      { name = "Pump 1", severity = HOT.severity }: Partial<{ name: string; severity: NewRule["severity"] }> = {},
    ) {
      const { id } = await app.devices.createDevice(tenant.caller, { id: `pump-${++devices}`, name, groupIds });
      const metrics = Array.from({ length: count }, (_, at) => `temperature ${at}`);
      const where = { database: app.database, clock };
      for (let from = 0; from < count; from += RULES_OF_PACK) {
        const rules = metrics.slice(from, from + RULES_OF_PACK).map((metric) => ({ ...HOT, severity, metric }));
        const pack = await app.rules.createThreshold(tenant.caller, { name: "Bearings", rules });
        await assignPacks(where, tenant.caller, id, pack.id);
      }
      const send = (value: number, to: readonly string[]) =>
        sendValues(where, tenant.caller, id, Object.fromEntries(to.map((metric) => [metric, value])));
      return {
        deviceId: id,
        async open(from = 0, to = count) {
          const hot = metrics.slice(from, to);
          await send(95, hot);
          const query = { deviceId: id, status: "open" as const, skip: 0, limit: 200 };
          const { items } = await app.anomalies.listAnomalies(tenant.caller, query);
          return items.filter(({ metric }) => hot.includes(metric!));
        },
        resolve: () => send(20, metrics),
      };
    },
    /** Advances the clock and completes everything that is then due. */
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      // Two rounds are needed: one process may send what the other has planned.
      for (let round = 0; round < 2; round++)
        await Promise.all([app, second.app].map(({ notifications }) => notifications.runDue()));
    },
    async log(tenant: TestTenant, anomalyId?: string) {
      return (await app.notifications.listDeliveries(tenant.caller, { anomalyId, skip: 0, limit: 500 })).items;
    },
  };
}
