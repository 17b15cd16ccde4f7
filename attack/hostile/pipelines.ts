import { connect, type TLSSocket } from "node:tls";
import type { HttpsTarget } from "../../load/https-client.ts";
import { sleep } from "../../load/measure.ts";
import { loopback } from "../../load/mqtt-client.ts";
import type { Done, Run } from "../attack.ts";

const TICK_MS = 20;
/** The limit of unsent bytes: a server that stops reading must not fill this process's memory. */
const MOST_WAITING_BYTES = 256 * 1024;
/** New connections begun in one tick: a burst of all of them is refused by the backlog of the kernel. */
const OPENED_A_TICK = 50;

export interface Pipelines {
  readonly target: HttpsTarget;
  readonly connections: number;
  /** Requests written together, over and over. */
  readonly requestsAWrite: number;
  /** Whether the client reads the answers. */
  readonly reads: boolean;
}

/**
 * Keeps connections open, opens each again once the server has closed it, and writes requests on all of them as fast as
 * the server reads, without waiting for an answer.
 *
 * @param request the text of the `count`th request
 */
export async function pipeline(plan: Pipelines, run: Run, request: (count: number) => string): Promise<Done> {
  const open = new Set<TLSSocket>();
  let [opened, closed, requests, count] = [0, 0, 0, 0];
  const writeOn = (socket: TLSSocket) => {
    if (!open.has(socket) || socket.writableLength > MOST_WAITING_BYTES) return;
    let text = "";
    for (let more = 0; more < plan.requestsAWrite; more++) text += request(count++);
    requests += plan.requestsAWrite;
    socket.write(text);
  };
  const add = () => {
    const socket = connect(loopback(plan.target));
    socket.pause();
    const close = () => void (open.delete(socket) && closed++);
    socket.on("error", close);
    socket.on("close", close);
    socket.on("secureConnect", () => {
      open.add(socket);
      if (++opened === 1) run.begun();
      if (plan.reads) socket.resume();
      writeOn(socket);
    });
    starting.add(socket);
    socket.once("close", () => starting.delete(socket));
    socket.once("secureConnect", () => starting.delete(socket));
  };
  const starting = new Set<TLSSocket>();
  for (; !run.ended.aborted; await sleep(TICK_MS)) {
    for (let more = 0; more < OPENED_A_TICK && open.size + starting.size < plan.connections; more++) add();
    for (const socket of open) writeOn(socket);
    // Connections that the server refuses are part of the attack, too.
    if (opened === 0 && closed > 0) run.begun();
  }
  for (const socket of [...open, ...starting]) socket.destroy();
  return {
    count: opened + requests,
    text: `${requests} requests written on ${opened} connections, ${closed} closed by the server`,
  };
}
