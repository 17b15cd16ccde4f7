import { systemClock } from "../lib/clock.ts";
import { type DemoState, TENANT } from "./demo-state.ts";
import { VIBRATION_LIMIT } from "./monitoring-steps.ts";
import { isGenuine } from "./receivers/standard-webhooks.ts";
import type { Hook } from "./receivers/webhook-sink.ts";
import { failingPump, publish, wearDown } from "./simulated-pump.ts";
import { eventually, expect, type Step } from "./step.ts";

/** The vibration of a repaired pump, in mm/s. */
const REPAIRED = 3;
const MAX_READINGS = 50;
/** The maximum time from storing a reading over the limit to the anomaly in the API's list. */
const OPENED_MS = 2_000;
const RESOLVED_MS = 40_000;

/** A pump fails, users are notified, and it is repaired. */
export const faultSteps: readonly Step[] = [
  {
    title: "The sludge pump wears out, and its reading over the limit opens an anomaly",
    run: async (state) => {
      const pump = failingPump(state.pumps);
      for (let count = 0; count < MAX_READINGS && pump.reading.vibration <= VIBRATION_LIMIT; count++) {
        wearDown(pump, 1);
        await publish(pump, state.random);
      }
      const stored = systemClock.monotonicMs();
      const path = `/anomalies?status=open&deviceId=${pump.identity.device.deviceId}`;
      const anomaly = await eventually("the anomaly", OPENED_MS, async () => {
        return (await state.maintenanceApi.expect(200, "GET", path)).items[0];
      });
      state.anomalyId = anomaly.id;
      expect(anomaly.metric === "vibration" && anomaly.value > VIBRATION_LIMIT, JSON.stringify(anomaly));
      return `${anomaly.value} mm/s, listed ${Math.ceil(systemClock.monotonicMs() - stored)} ms after the acknowledgement`;
    },
  },
  {
    title: "The operator on shift receives an e-mail",
    run: async ({ operator, anomalyId, sinks }) => {
      const mail = await sinks.mail.inbox.arrival("the page", ({ to }) => to.includes(operator.email));
      expect(mail.text.includes(anomalyId), "the e-mail does not link to the anomaly");
      return `to ${mail.to.join(", ")}: ${mail.subject}`;
    },
  },
  {
    title: "The control room's webhook receives a message signed by Standard Webhooks",
    run: async (state) => {
      const { headers } = await verifiedHook(state, "anomaly.opened");
      return `${headers["webhook-id"]}, ${headers["webhook-signature"]}`;
    },
  },
  {
    title: "The anomaly is acknowledged over the API before the next escalation step",
    run: async (state) => {
      const path = `/anomalies/${state.anomalyId}/acknowledge`;
      const anomaly = await state.maintenanceApi.expect(200, "POST", path, { comment: "On my way" });
      expect(anomaly.status === "acknowledged", anomaly.status);
      expect(!isEscalated(state), `${state.leader.email} was notified too early`);
      return `by ${anomaly.acknowledgedBy}: "${anomaly.comment}"; ${state.leader.email} is not notified`;
    },
  },
  {
    title: "A ticket is opened for the anomaly, and each links to the other",
    run: async (state) => {
      const { maintenanceApi: api, anomalyId, operator } = state;
      const ticket = await api.expect(201, "POST", "/tickets", {
        title: "Replace the bearing of the sludge pump",
        priority: "high",
        anomalyId,
        assigneeUserId: operator.id,
      });
      state.ticketId = ticket.id;
      const anomaly = await api.expect(200, "GET", `/anomalies/${anomalyId}`);
      expect(anomaly.ticketId === ticket.id, "the anomaly does not link to its ticket");
      expect(
        ticket.deviceId === failingPump(state.pumps).identity.device.deviceId,
        "the ticket is about another device",
      );
      await changeTicket(state, { status: "in_progress" });
      return `no. ${ticket.number}, in progress, assigned to ${operator.email}`;
    },
  },
  {
    title: "The pump is repaired: the anomaly resolves and its recipients are notified",
    run: async (state) => {
      const pump = failingPump(state.pumps);
      pump.wear = 0;
      for (let count = 0; count < MAX_READINGS && pump.reading.vibration > REPAIRED; count++)
        await publish(pump, state.random);
      const anomaly = await eventually("the resolution of the anomaly", RESOLVED_MS, async () => {
        const current = await state.maintenanceApi.expect(200, "GET", `/anomalies/${state.anomalyId}`);
        return current.status === "resolved" ? current : undefined;
      });
      await verifiedHook(state, "anomaly.resolved");
      const mail = await state.sinks.mail.inbox.arrival("the e-mail about the resolution", ({ to, subject }) => {
        return to.includes(state.operator.email) && subject.includes("RESOLVED");
      });
      return `by ${anomaly.resolvedBy} at ${pump.reading.vibration} mm/s; ${mail.subject}`;
    },
  },
  {
    title: "The ticket is completed",
    run: async (state) => {
      const ticket = await changeTicket(state, { status: "completed", resolution: "Bearing replaced" });
      expect(!isEscalated(state), `${state.leader.email} was notified of an acknowledged anomaly`);
      return `no. ${ticket.number} at ${ticket.completedAt}: ${ticket.resolution}`;
    },
  },
];

/**
 * Reports whether the second step of the maintenance group's escalation has notified the leader of the demo's anomaly.
 */
export function isEscalated({ sinks, leader, anomalyId }: DemoState): boolean {
  const mail = sinks.mail.inbox.find(({ to, text }) => to.includes(leader.email) && text.includes(anomalyId));
  return mail !== undefined;
}

/** Returns the webhook message about the demo's anomaly, verified with the secret that the shell shows. */
async function verifiedHook({ service, sinks, anomalyId, controlRoomId }: DemoState, type: string): Promise<Hook> {
  const hook = await sinks.webhook.inbox.arrival(`the webhook ${type}`, ({ body }) => {
    const message = JSON.parse(body);
    return message.type === type && message.data.anomaly.id === anomalyId;
  });
  const webhook = { tenant: TENANT, group: controlRoomId, target: sinks.webhook.url };
  const { secret } = await service.command("group.webhook-secret", webhook);
  expect(isGenuine(hook, String(secret), systemClock.now()), "the signature is not the group's");
  const changed = { ...hook, body: `${hook.body} ` };
  expect(!isGenuine(changed, String(secret), systemClock.now()), "a changed body passes the verification");
  return hook;
}

async function changeTicket({ maintenanceApi, ticketId }: DemoState, change: { status: string; resolution?: string }) {
  const ticket = await maintenanceApi.expect(200, "PATCH", `/tickets/${ticketId}`, change);
  expect(ticket.status === change.status, `the ticket is ${ticket.status}`);
  return ticket;
}
