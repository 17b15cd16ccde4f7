import type { Attack } from "../attack.ts";
import { subscribe } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const SESSIONS = 16;
const SUBSCRIPTIONS_PER_SECOND = 100;

export const refusals: Attack<HostileSessions> = {
  name: "refusals",
  what: `${SESSIONS} sessions subscribe to ${SESSIONS * SUBSCRIPTIONS_PER_SECOND} foreign topics a second`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant("refusals");
    return { target: service.mqtt, identities: await tenant.newDevices(SESSIONS, "Curious") };
  },

  async assault(plan, run) {
    let topics = 0;
    // A refused publish closes the session, a refused subscription does not.
    return await keepSessions(plan, run, async (socket) =>
      sendAtRate(socket, SUBSCRIPTIONS_PER_SECOND, run.ended, (count) =>
        subscribe(`t/honest/telemetry/${topics++}`, count),
      ),
    );
  },
};
