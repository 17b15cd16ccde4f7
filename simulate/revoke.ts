import { sleep } from "../load/measure.ts";
import type { Fleet } from "./clients/fleet.ts";
import { nowMs } from "./clients/protocol.ts";
import type { Figures } from "./figures/figures.ts";
import type { Target } from "./target/target.ts";

/** A session that is open this long after its revocation counts as left open. */
const END_MS = 10_000;
const POLL_MS = 50;

/** Revokes certificates of some devices, one after the other, at each node in turn. @param figures gets the times */
export async function revokeSome(fleet: Fleet, target: Target, count: number, figures: Figures): Promise<void> {
  const ids = target.devices.slice(0, count).map(({ deviceId }) => deviceId);
  const certificates: string[] = [];
  for (const id of ids) {
    const { items } = await target.api.call(200, "GET", `/device-certificates?deviceId=${id}&status=active`);
    certificates.push(items[0].id);
  }
  await fleet.expectEnd(ids);
  const began = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    const path = `/device-certificates/${certificates[index]}`;
    await target.api.call(204, "DELETE", path, { node: index, onSend: () => void began.set(id, nowMs()) });
    figures.time("revocation answered", nowMs() - began.get(id)!);
  }
  let ends = await fleet.ends();
  for (const end = nowMs() + END_MS; ends.size < ids.length && nowMs() < end; ends = await fleet.ends())
    await sleep(POLL_MS);
  for (const id of ids) {
    const end = ends.get(id);
    if (end === undefined) figures.error("revocation: the session has not ended within 10 s");
    else figures.time("revocation", end - began.get(id)!);
  }
}
