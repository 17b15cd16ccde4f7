import type { Attack } from "../attack.ts";
import { publish } from "../hostile/publish.ts";
import { type HostileSessions, keepSessions, sendAtRate } from "../hostile/sessions.ts";

const DEVICES = 4;
const PACKS = 5;
const RULES_A_PACK = 10;
/** A device may send 512 kB a second: so many messages of a thousand readings. */
const MESSAGES_PER_SECOND = 13;
const READINGS = 1_000;
/** The first device ignores the limit of readings a message. */
const TOO_MANY_READINGS = 3_300;
/** Readings are a millisecond apart and newer than any before them: older ones are not evaluated. */
const BEHIND_MS = 9 * 60_000;

export const readings: Attack<HostileSessions> = {
  name: "readings",
  what: `${DEVICES} devices send ${READINGS} readings a message that alternate across ${PACKS * RULES_A_PACK} rules`,

  async prepare({ service, newTenant }) {
    const tenant = await newTenant("readings");
    await tenant.assignRules(
      Array.from({ length: PACKS }, (_, pack) =>
        Array.from({ length: RULES_A_PACK }, (_, rule) => ruleAt(pack * RULES_A_PACK + rule)),
      ),
    );
    return { target: service.mqtt, identities: await tenant.newDevices(DEVICES, "Alternating") };
  },

  async assault(plan, run) {
    const newest = plan.identities.map(() => Date.now() - BEHIND_MS);
    return await keepSessions(plan, run, async (socket, { topic }, index) => {
      const [length, rate] =
        index === 0 ? [TOO_MANY_READINGS, MESSAGES_PER_SECOND / 3] : [READINGS, MESSAGES_PER_SECOND];
      return await sendAtRate(socket, rate, run.ended, (count) => {
        newest[index]! += length;
        return publish(topic, alternating(newest[index]!, length), count);
      });
    });
  },
};

function ruleAt(index: number): object {
  return { metric: "m", operator: "gt", value: 10 + index, severity: "warning" };
}

function alternating(from: number, length: number): string {
  const points = Array.from({ length }, (_, n) => `{"ts":${from + n},"values":{"m":${n % 2 === 0 ? 0 : 100}}}`);
  return `[${points.join(",")}]`;
}
