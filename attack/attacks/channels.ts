import type { Identity } from "../../load/mqtt-client.ts";
import { publish } from "../../load/publish-packet.ts";
import { sessionAttack } from "../hostile/sessions.ts";

const MALLORY = "Mallory's pump";
const HANGING = "/hang/";
const [RULES, WEBHOOKS] = [10, 20];
const escalation = [{ afterMinutes: 0, notify: "channels" }];

/** Alternates between a message that breaks the rules of the metric `m` and one that breaks none. */
const flapping =
  (perSecond: number) =>
  ({ topic }: Identity) => ({
    perSecond,
    packet: (count: number) => publish(topic, `{"m":${count % 2 === 0 ? 100 : 0}}`, count),
  });

export const webhooks = sessionAttack({
  name: "webhooks",
  what: `one message breaks ${RULES} rules whose ${WEBHOOKS} webhooks never answer, again and again`,
  async devices(tenant, { sinks }) {
    const { hook } = sinks.behave;
    sinks.behave.hook = (path) => (path.startsWith(HANGING) ? undefined : hook(path));
    const rule = (n: number) => ({ metric: "m", operator: "gt", value: 10 + n, severity: "critical" });
    await tenant.assignRules([Array.from({ length: RULES }, (_, n) => rule(n))]);
    const targets = Array.from({ length: WEBHOOKS }, (_, n) => sinks.hookUrl(`${HANGING}${n}`));
    const channels = targets.map((target) => ({ type: "webhook", target }));
    return await tenant.newDevices(1, "Hanging", [await tenant.newGroup({ name: "Hanging", channels, escalation })]);
  },
  sending: flapping(2),
});

export const folding = sessionAttack({
  name: "folding",
  what: "a tenant names the operators of another as its e-mail channels, and its devices flap",
  async devices(tenant, { honest }) {
    await tenant.assignRules([[{ metric: "m", operator: "gt", value: 50, severity: "warning" }]]);
    const channels = honest.monitored.map(({ operator }) => ({ type: "email", target: operator }));
    const group = await tenant.call(201, "POST", "/groups", { name: "Others' operators", channels, escalation });
    return await tenant.newDevices(5, MALLORY, [group.id]);
  },
  // A device that flaps at this rate opens half as many anomalies.
  sending: flapping(20),
  async check({ sinks, honest }) {
    const operators = new Set(honest.monitored.map(({ operator }) => operator));
    const isForeign = (mail: { to: string; subject: string; text: string }) =>
      operators.has(mail.to) && `${mail.subject}\n${mail.text}`.includes(MALLORY);
    const foreign = sinks.mails.filter(isForeign);
    if (foreign.length === 0) return [];
    return [`${foreign.length} mails to operators of another tenant, the first: ${foreign[0]!.subject}`];
  },
});
