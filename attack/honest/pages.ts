import { sleep, within } from "../../load/measure.ts";
import type { Session } from "../../load/mqtt-client.ts";
import { packetBytes, publishPacket } from "../../load/publish-packet.ts";
import type { Sinks } from "../../server/test/harness/http/sinks.ts";

/** A device of the honest tenant whose faults page an operator and call a webhook. */
export interface Monitored extends Session {
  readonly operator: string;
  readonly hookPath: string;
}

/** The milliseconds from a critical reading to its e-mail and to its webhook; `Infinity` where none came. */
export interface PageDelay {
  readonly page: number;
  readonly webhook: number;
}

/** A page that takes longer counts as lost. */
const LOST_SECONDS = 30;
/** The lowest value that violates the rule. Each value is used once, so that it identifies a message. */
const FIRST_FAULT = 1_000;
const WELL = 20;
let faults = FIRST_FAULT;

/** Causes a fault on each device in turn, `apart` ms between them. */
export async function pageDelays(devices: readonly Monitored[], sinks: Sinks, apart: number): Promise<PageDelay[]> {
  return await Promise.all(
    devices.map(async (device, index) => {
      await sleep(index * apart);
      return await pageDelay(device, sinks);
    }),
  );
}

async function pageDelay(device: Monitored, sinks: Sinks): Promise<PageDelay> {
  const value = faults++;
  const sent = performance.now();
  const delayOf = (isThere: () => boolean) =>
    within(LOST_SECONDS, () => "a page", sinks.until(isThere)).then(
      () => performance.now() - sent,
      () => Number.POSITIVE_INFINITY,
    );
  publish(device, value);
  const inText = new RegExp(`\\b${value}\\b`);
  const [page, webhook] = await Promise.all([
    delayOf(() => sinks.mailsTo(device.operator).some(({ text }) => inText.test(text))),
    delayOf(() => sinks.hooksAt(device.hookPath).some(({ body }) => inText.test(body))),
  ]);
  publish(device, WELL);
  return { page, webhook };
}

function publish({ socket, topic }: Session, temperature: number): void {
  socket.write(packetBytes(publishPacket(topic, `{"temperature":${temperature}}`), 0));
}
