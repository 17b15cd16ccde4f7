import type { Attack } from "../attack.ts";
import { publish } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const SESSIONS = 16;
const MESSAGES_PER_SECOND = 100;

export const refusals: Attack<HostileSessions> = {
  name: "refusals",
  what: `${SESSIONS} sessions publish to ${SESSIONS * MESSAGES_PER_SECOND} foreign topics a second`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant("refusals");
    // MQTT 5 refuses the message and leaves the session open.
    const target = { ...service.mqtt, protocolVersion: 5 } as const;
    return { target, identities: await tenant.newDevices(SESSIONS, "Curious") };
  },

  async assault(plan, run) {
    let topics = 0;
    return await keepSessions(plan, run, async (socket) => {
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) =>
        publish(`t/honest/telemetry/${topics++}`, "{}", count, { protocolVersion: 5 }),
      );
    });
  },
};
