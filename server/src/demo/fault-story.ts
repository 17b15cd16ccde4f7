import { systemClock } from "../lib/clock.ts";
import { age, type Plant, publish, TENANT, wornPump } from "./plant.ts";
import { isGenuine } from "./standard-webhooks.ts";
import { eventually, expect, type Step } from "./step.ts";
import { LIMIT } from "./watch-story.ts";
import type { Hook } from "./webhook-sink.ts";

const REPAIRED = 3;
const MOST_READINGS = 50;
/** How soon a reading over the limit is an anomaly that everybody can see. */
const PROMPT_MS = 2_000;
const PATIENCE_MS = 10_000;

/** A pump fails, the right people hear of it, and it is repaired. */
export function faultStory(chance: () => number): Step[] {
  return [
    {
      title: "the sludge pump wears out; its reading over the limit is an anomaly",
      run: async (plant) => {
        const pump = wornPump(plant);
        for (let count = 0; count < MOST_READINGS && pump.reading.vibration <= LIMIT; count++) {
          age(pump, 1);
          await publish(pump, chance);
        }
        const stored = systemClock.monotonicMs();
        const path = `/anomalies?status=open&deviceId=${pump.identity.device.deviceId}`;
        const anomaly = await eventually("the anomaly", PROMPT_MS, async () => {
          return (await plant.watch.api.expect(200, "GET", path)).items[0];
        });
        plant.watch.anomalyId = anomaly.id;
        expect(anomaly.metric === "vibration" && anomaly.value > LIMIT, JSON.stringify(anomaly));
        return `${anomaly.value} mm/s, listed ${Math.ceil(systemClock.monotonicMs() - stored)} ms after the acknowledgement`;
      },
    },
    {
      title: "whoever is on shift gets the mail",
      run: async ({ watch, sinks }) => {
        const mail = await sinks.mail.inbox.arrival("the page", ({ to }) => to.includes(watch.operator.email));
        expect(mail.text.includes(watch.anomalyId), "the mail does not lead to the anomaly");
        return `to ${mail.to.join(", ")}: ${mail.subject}`;
      },
    },
    {
      title: "the control room's webhook comes, signed as Standard Webhooks has it",
      run: async (plant) => {
        const hook = await genuineHook(plant, "anomaly.opened");
        return `${hook.headers["webhook-id"]}, ${hook.headers["webhook-signature"]}`;
      },
    },
    {
      title: "an acknowledgement over the API, before the escalation's next step",
      run: async (plant) => {
        const { watch } = plant;
        const path = `/anomalies/${watch.anomalyId}/acknowledge`;
        const anomaly = await watch.api.expect(200, "POST", path, { comment: "On my way" });
        expect(anomaly.status === "acknowledged", anomaly.status);
        expect(!isEscalated(plant), `${watch.leader.email} was told too soon`);
        return `by ${anomaly.acknowledgedBy}: "${anomaly.comment}"; ${watch.leader.email} is left in peace`;
      },
    },
    {
      title: "a ticket opened from the anomaly; each leads to the other",
      run: async (plant) => {
        const { watch } = plant;
        const ticket = await watch.api.expect(201, "POST", "/tickets", {
          title: "Replace the bearing of the sludge pump",
          priority: "high",
          anomalyId: watch.anomalyId,
          assigneeUserId: watch.operator.id,
        });
        watch.ticketId = ticket.id;
        const anomaly = await watch.api.expect(200, "GET", `/anomalies/${watch.anomalyId}`);
        expect(anomaly.ticketId === ticket.id, "the anomaly does not lead to its ticket");
        expect(ticket.deviceId === wornPump(plant).identity.device.deviceId, "the ticket is about another device");
        await moveTicket(plant, { status: "in_progress" });
        return `no. ${ticket.number}, in progress, assigned to ${watch.operator.email}`;
      },
    },
    {
      title: "the pump is repaired: its values fall, the anomaly resolves, who was told hears so",
      run: async (plant) => {
        const { watch, sinks } = plant;
        const pump = wornPump(plant);
        pump.wear = 0;
        for (let count = 0; count < MOST_READINGS && pump.reading.vibration > REPAIRED; count++) {
          await publish(pump, chance);
        }
        const anomaly = await eventually("the end of the anomaly", PATIENCE_MS, async () => {
          const now = await watch.api.expect(200, "GET", `/anomalies/${watch.anomalyId}`);
          return now.status === "resolved" ? now : undefined;
        });
        await genuineHook(plant, "anomaly.resolved");
        const told = ({ to, subject }: { to: string[]; subject: string }) =>
          to.includes(watch.operator.email) && subject.includes("RESOLVED");
        const mail = await sinks.mail.inbox.arrival("the mail that it is over", told);
        return `by ${anomaly.resolvedBy} at ${pump.reading.vibration} mm/s; ${mail.subject}`;
      },
    },
    {
      title: "the ticket is completed",
      run: async (plant) => {
        const ticket = await moveTicket(plant, { status: "completed", resolution: "Bearing replaced" });
        expect(!isEscalated(plant), `${plant.watch.leader.email} was told of what was acknowledged`);
        return `no. ${ticket.number} at ${ticket.completedAt}: ${ticket.resolution}`;
      },
    },
  ];
}

/** Whether the second step of the crew's escalation told anybody of the story's anomaly. */
export function isEscalated({ sinks, watch }: Plant): boolean {
  const told = sinks.mail.inbox.find(
    ({ to, text }) => to.includes(watch.leader.email) && text.includes(watch.anomalyId),
  );
  return told !== undefined;
}

/** The webhook of the story's anomaly, verified with the secret that the shell shows. */
async function genuineHook({ service, sinks, watch }: Plant, type: string): Promise<Hook> {
  const hook = await sinks.webhook.inbox.arrival(`the webhook ${type}`, ({ body }) => {
    const message = JSON.parse(body);
    return message.type === type && message.data.anomaly.id === watch.anomalyId;
  });
  const which = { tenant: TENANT, group: watch.controlRoomId, target: sinks.webhook.url };
  const { secret } = await service.command("group.webhook-secret", which);
  expect(isGenuine(hook, String(secret), systemClock.now()), "the signature is not the group's");
  expect(!isGenuine({ ...hook, body: `${hook.body} ` }, String(secret), systemClock.now()), "any body passes");
  return hook;
}

async function moveTicket({ watch }: Plant, patch: { status: string; resolution?: string }) {
  const ticket = await watch.api.expect(200, "PATCH", `/tickets/${watch.ticketId}`, patch);
  expect(ticket.status === patch.status, `the ticket is ${ticket.status}`);
  return ticket;
}
