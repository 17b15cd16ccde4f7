import type { Attack } from "../attack.ts";
import { flap } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const DEVICES = 5;
const NAME = "Mallory's pump";
/** A device that flaps at this rate opens half as many anomalies. */
const MESSAGES_PER_SECOND = 20;

export const folding: Attack<HostileSessions> = {
  name: "folding",
  what: "a tenant names the operators of another as its e-mail channels, and its devices flap",

  async prepare({ service, honest, newTenant }) {
    const tenant = await newTenant("folding");
    await tenant.assignRules([[{ metric: "m", operator: "gt", value: 50, severity: "warning" }]]);
    const group = await tenant.call(201, "POST", "/groups", {
      name: "Others' operators",
      channels: honest.monitored.map(({ operator }) => ({ type: "email", target: operator })),
      escalation: [{ afterMinutes: 0, notify: "channels" }],
    });
    return { target: service.mqtt, identities: await tenant.newDevices(DEVICES, NAME, [group.id]) };
  },

  async assault(plan, run) {
    return await keepSessions(plan, run, async (socket, { topic }) => {
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) => flap(topic, count));
    });
  },

  async check({ sinks, honest }) {
    const operators = new Set(honest.monitored.map(({ operator }) => operator));
    const foreign = sinks.mails.filter(
      ({ to, text, subject }) => operators.has(to) && `${subject}\n${text}`.includes(NAME),
    );
    return foreign.length === 0
      ? []
      : [`${foreign.length} mails to operators of another tenant, the first: ${foreign[0]!.subject}`];
  },
};
