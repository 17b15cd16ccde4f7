import type { Attack } from "../attack.ts";
import { publish } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const NAMES_A_MESSAGE = 200;
const MESSAGES_PER_SECOND = 100;
/** What a device may have latest values of. */
const METRICS_A_DEVICE = 500;
const TENANT = "metrics";

export const metrics: Attack<HostileSessions> = {
  name: "metrics",
  what: `a device sends ${NAMES_A_MESSAGE * MESSAGES_PER_SECOND} metric names a second`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant(TENANT);
    return { target: service.mqtt, identities: await tenant.newDevices(1, "Inventive") };
  },

  async assault(plan, run) {
    let names = 0;
    return await keepSessions(plan, run, async (socket, { topic }) => {
      return await sendAtRate(socket, MESSAGES_PER_SECOND, run.ended, (count) => {
        const metrics = Array.from({ length: NAMES_A_MESSAGE }, () => `"m${names++}":1`);
        const payload = `{${metrics.join(",")}}`;
        return publish(topic, payload, count);
      });
    });
  },

  async check({ service }, { identities }) {
    const { items } = await service.command("device.latest", { tenant: TENANT, id: identities[0]!.deviceId });
    if (items.length <= METRICS_A_DEVICE) return [];
    return [`the device has latest values of ${items.length} metrics, at most ${METRICS_A_DEVICE}`];
  },
};
