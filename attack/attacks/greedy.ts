import { messageIdOf, publishPacket } from "../../bench/load/publish-packet.ts";
import type { Attack } from "../attack.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const DEVICES = 40;
/** What the broker reads of a session. */
const MESSAGES_PER_SECOND = 100;

export const greedy: Attack<HostileSessions> = {
  name: "greedy",
  what: `${DEVICES} devices of one tenant send ${MESSAGES_PER_SECOND} messages a second each, as they may`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant("greedy");
    return { target: service.mqtt, identities: await tenant.newDevices(DEVICES, "Busy") };
  },

  async assault(plan, run) {
    return await keepSessions(plan, run, async (socket, { topic }) => {
      const packet = publishPacket(topic, '{"temperature":21.5,"pressure":4.25,"vibration":1.125}');
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) => {
        const bytes = Buffer.allocUnsafe(packet.length);
        packet.write(bytes, 0, messageIdOf(count), Date.now());
        return bytes;
      });
    });
  },
};
