import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { sleep } from "../../load/measure.ts";
import type { Attack } from "../attack.ts";
import { openDescriptors } from "../service.ts";

const CONNECTIONS_PER_SECOND = 100;
/** The file descriptors that the service itself and the honest tenant need. */
const OTHER_DESCRIPTORS = 200;

interface Plan {
  readonly target: HttpsTarget;
  readonly descriptorsBefore: number;
}

export const silence: Attack<Plan> = {
  name: "silence",
  what: `${CONNECTIONS_PER_SECOND} HTTPS connections a second from one address, one request without a key on each, then silence`,

  prepare: async ({ service, https }) => ({ target: https, descriptorsBefore: openDescriptors(service.pid) }),

  async assault({ target }, { ended, begun }) {
    let [opened, refused] = [0, 0];
    const closes: (() => void)[] = [];
    const open = async (): Promise<void> => {
      const client = await openHttps(target);
      closes.push(client.close);
      await client.send("GET", "/healthz");
      if (++opened === 1) begun();
    };
    for (; !ended.aborted; await sleep(1000 / CONNECTIONS_PER_SECOND)) open().catch(() => void refused++);
    for (const close of closes) close();
    return { count: opened, text: `${opened} connections, ${refused} refused or closed before the answer` };
  },

  async check({ service, short }, { descriptorsBefore }) {
    const most = (short ? 100 : 1_000) + OTHER_DESCRIPTORS;
    const more = openDescriptors(service.pid) - descriptorsBefore;
    return more <= most ? [] : [`${more} more descriptors are open, at most ${most}`];
  },
};
