import type { Attack } from "../attack.ts";
import { publish } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const SESSIONS = 100;
/** A packet may have 256 KiB, with its topic; a session may send two of them a second. */
const PAYLOAD = 250 * 1024;
const MESSAGES_PER_SECOND = 2;

export const qos2: Attack<HostileSessions> = {
  name: "qos2",
  what: `${SESSIONS} sessions publish 250 KiB at QoS 2 and never release`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant("qos2");
    return { target: service.mqtt, identities: await tenant.newDevices(SESSIONS, "Unreleased") };
  },

  async assault(plan, run) {
    const payload = Buffer.alloc(PAYLOAD, "x");
    return await keepSessions(plan, run, async (socket, { topic }) => {
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) => publish(topic, payload, count, 2));
    });
  },
};
