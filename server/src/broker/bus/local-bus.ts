import { readdir, stat, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { KnownSession } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import { listenOnPrivateSocket } from "../../lib/sockets/private-socket.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { BrokerLimits } from "../limits.ts";
import { Announcements } from "./announcements.ts";
import type { Bus, BusMessage, BusReceiver, SharedMessage } from "./bus.ts";
import {
  BUS_VERSION,
  type BusFrame,
  decodeFrame,
  encodeHello,
  encodeNumber,
  encodePublish,
  encodeShared,
} from "./frame.ts";
import { InLink, OutLink, readFrames } from "./links.ts";
import { RemoteState } from "./remote-state.ts";

export interface LocalBusDeps {
  /** The folder in which each process has a socket, accessible to this user only. */
  folder: string;
  limits: Pick<BrokerLimits, "mqttBusBytes">;
  clock: Clock;
  ids: Pick<Ids, "bytes">;
  metrics: Pick<Metrics, "busMessages" | "busDropped" | "busPeers">;
  logger: Logger;
}

const SOCKET_NAME = /^bus\.([0-9a-f]{8})$/;
/** The longest that a start waits for a process that does not answer. */
const JOIN_MS = 2_000;
const RECONNECT_MS = 200;
/** The age at which a socket that no process listens on is removed. */
const STALE_MS = 10_000;

/**
 * Connects the processes of one machine over Unix sockets. Each process opens a connection to every other, on which it
 * sends its messages.
 */
export class LocalBus implements Bus {
  readonly #deps: LocalBusDeps;
  readonly name: string;
  readonly #server: Server;
  readonly #out = new Map<string, OutLink>();
  readonly #remote = new RemoteState<OutLink>();
  readonly #announcements: Announcements;
  readonly #opening = new Map<string, Promise<void>>();
  #receiver: BusReceiver | undefined;
  #isScheduled = false;
  #isStopped = false;

  constructor(deps: LocalBusDeps) {
    this.#deps = deps;
    this.name = deps.ids.bytes(4).toString("hex");
    this.#announcements = new Announcements({ peers: () => this.#out.keys(), onPending: () => this.#schedule() });
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async start(receiver: BusReceiver): Promise<void> {
    this.#receiver = receiver;
    const { folder } = this.#deps;
    await listenOnPrivateSocket(this.#server, this.#pathOf(this.name));
    // Each process listens before it reads the folder: if two start at once, at least one finds the other.
    const names = (await readdir(folder)).flatMap((file) => SOCKET_NAME.exec(file)?.[1] ?? []);
    await Promise.all(names.map((name) => this.#join(name)));
  }

  async stop(): Promise<void> {
    this.flush();
    this.#isStopped = true;
    for (const link of this.#out.values()) link.close();
    this.#announcements.close();
    if (!this.#server.listening) return;
    // Closing removes the socket's file.
    this.#server.close();
  }

  flush(): void {
    this.#isScheduled = false;
    let sent = 0;
    for (const link of this.#out.values()) sent += link.flush();
    if (sent > 0) this.#deps.metrics.busMessages.inc({ direction: "sent" }, sent);
    this.#announcements.flush();
  }

  interest(tenantId: string, filter: string, isOn: boolean): void {
    this.#announcements.change(tenantId, filter, isOn);
  }

  serve(ownerId: string): void {
    this.#announcements.serve(ownerId);
  }

  release(ownerId: string, session?: KnownSession): void {
    this.#announcements.release(ownerId, session);
  }

  flushed(ownerId: string): void {
    this.#announcements.flushed(ownerId);
  }

  freed(ownerId: string): Promise<void> | undefined {
    return this.#remote.owners.freed(ownerId);
  }

  serverOf(ownerId: string): string | undefined {
    return this.#remote.owners.serverOf(ownerId)?.name;
  }

  announced(): Promise<void> | undefined {
    this.flush();
    return this.#announcements.announced();
  }

  publish(message: BusMessage): boolean {
    const peers = this.#remote.interest.peersOf(message.tenantId, message.message.topic);
    if (!peers) return false;
    const frame = encodePublish(message, this.#deps.clock.monotonicMs());
    for (const link of peers) {
      if (!this.#send(link, frame, message.message.qos)) this.#receiver?.undelivered(message, link.name);
    }
    return true;
  }

  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number> {
    return this.#remote.interest.groupsOf(tenantId, topic);
  }

  publishShared(message: SharedMessage): boolean {
    const link = this.#remote.interest.nextOf(message.tenantId, message.group);
    if (link) this.#send(link, encodeShared(message, this.#deps.clock.monotonicMs()), message.message.qos);
    return link !== undefined;
  }

  /** @returns false if too many bytes wait for the other process */
  #send(link: OutLink, frame: Buffer, qos: number): boolean {
    const isSent = link.message(frame, qos);
    if (!isSent) this.#deps.metrics.busDropped.inc({ qos: String(qos) });
    this.#schedule();
    return isSent;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  #pathOf(name: string): string {
    return join(this.#deps.folder, `bus.${name}`);
  }

  /** Connects to another process. Resolves when its interest is known here, or when it does not answer in time. */
  async #join(name: string): Promise<void> {
    if (name === this.name || this.#out.has(name) || this.#isStopped) return;
    const known = this.#opening.get(name);
    const opening = known ?? this.#open(name).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    await withTimeout(opening, JOIN_MS, () => undefined);
  }

  #open(name: string): Promise<void> {
    const { promise: isKnown, resolve } = Promise.withResolvers<void>();
    const socket = connect(this.#pathOf(name));
    const link = new OutLink(name, socket, this.#deps.limits.mqttBusBytes);
    socket.once("connect", () => {
      this.#out.set(name, link);
      this.#deps.metrics.busPeers.set(this.#out.size);
      link.control(encodeHello(this.name));
      link.flush();
    });
    this.#read(socket, (frame) => {
      if (!this.#remote.learn(link, frame, this.#receiver!)) return;
      link.control(encodeNumber("known", frame.number));
      this.#schedule();
      if (frame.type === "all") resolve();
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") void this.#removeStale(name);
    });
    socket.once("close", () => {
      this.#closed(name, link);
      resolve();
    });
    return isKnown;
  }

  #closed(name: string, link: OutLink): void {
    this.#remote.forget(link);
    if (this.#out.get(name) !== link) return;
    this.#out.delete(name);
    this.#deps.metrics.busPeers.set(this.#out.size);
    this.#announcements.check();
    // If the process has ended, the attempt fails and is not repeated.
    if (!this.#isStopped) setTimeout(() => void this.#join(name), RECONNECT_MS).unref();
  }

  /** Removes the socket that a killed process left. A young socket may belong to a process that is about to listen. */
  async #removeStale(name: string): Promise<void> {
    const path = this.#pathOf(name);
    const found = await stat(path).catch(() => undefined);
    const ageMs = this.#deps.clock.now().getTime() - (found?.mtimeMs ?? Infinity);
    if (ageMs > STALE_MS) await unlink(path).catch(() => undefined);
  }

  /** Accepts a connection on which another process will send its messages. */
  #accept(socket: Socket): void {
    const link = new InLink(socket, this.#deps.limits.mqttBusBytes);
    let name: string | undefined;
    this.#read(socket, (frame) => {
      if (name !== undefined) this.#receive(name, link, frame);
      else if (frame.type === "hello" && this.#isCompatible(frame)) {
        name = frame.name;
        this.#announcements.joined(name, link);
        void this.#join(name);
      } else socket.destroy();
    });
    socket.once("close", () => {
      if (name !== undefined) this.#announcements.left(name, link);
    });
  }

  #isCompatible({ version, name }: { version: number; name: string }): boolean {
    if (version === BUS_VERSION) return true;
    this.#deps.logger.warn(
      { version, own: BUS_VERSION, name },
      "a worker of another version exchanges no MQTT messages",
    );
    return false;
  }

  #receive(name: string, link: InLink, frame: BusFrame): void {
    if (frame.type === "known") this.#announcements.known(name, link, frame.number);
    else if (frame.type === "publish") this.#receiver!.deliver(frame);
    else if (frame.type === "shared") this.#receiver!.deliverShared(frame);
  }

  #read(socket: Socket, onFrame: (frame: BusFrame) => void): void {
    const { clock, logger } = this.#deps;
    readFrames(
      socket,
      (frame) => onFrame(decodeFrame(frame, clock.monotonicMs())),
      (error) => logger.error({ err: error.message }, "a message from another worker cannot be decoded"),
    );
  }
}
