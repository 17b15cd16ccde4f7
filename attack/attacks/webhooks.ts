import type { Attack } from "../attack.ts";
import { flap } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const RULES = 10;
const WEBHOOKS = 20;
const MESSAGES_PER_SECOND = 2;
const HANGING = "/hang/";

export const webhooks: Attack<HostileSessions> = {
  name: "webhooks",
  what: `one message breaks ${RULES} rules whose ${WEBHOOKS} webhooks never answer, again and again`,

  async prepare({ service, sinks, newTenant }) {
    const { hook } = sinks.behave;
    sinks.behave.hook = (path) => (path.startsWith(HANGING) ? undefined : hook(path));
    const tenant = await newTenant("webhooks");
    await tenant.assignRules([
      Array.from({ length: RULES }, (_, n) => ({ metric: "m", operator: "gt", value: 10 + n, severity: "critical" })),
    ]);
    const group = await tenant.newGroup({
      name: "Hanging",
      channels: Array.from({ length: WEBHOOKS }, (_, n) => ({
        type: "webhook",
        target: sinks.hookUrl(`${HANGING}${n}`),
      })),
      escalation: [{ afterMinutes: 0, notify: "channels" }],
    });
    return { target: service.mqtt, identities: await tenant.newDevices(1, "Hanging", [group]) };
  },

  async assault(plan, run) {
    return await keepSessions(plan, run, async (socket, { topic }) => {
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) => flap(topic, count));
    });
  },
};
