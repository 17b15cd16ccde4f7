import type { Packet } from "mqtt-packet";
import { delayMs, RECONNECT } from "../../agent/src/connection/backoff.ts";
import { KeepAlive } from "../../agent/src/connection/keep-alive.ts";
import { reasonText } from "../../agent/src/connection/reasons.ts";
import type { Wire } from "../../agent/src/connection/wire.ts";
import type { Figures } from "../figures/figures.ts";
import { type Credentials, KEEP_ALIVE_SECONDS, openWire } from "./connection.ts";
import { type Address, nowMs } from "./protocol.ts";

const CONNECT_MS = 30_000;

/** Limits concurrent attempts; waiters are served first in, first out. */
export class Admission {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Calls `begin` now or when an attempt has ended. */
  request(begin: () => void): void {
    if (this.#free > 0) {
      this.#free--;
      begin();
    } else this.#waiting.push(begin);
  }

  /** Ends an attempt that was begun. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/** The state that the clients of one process share. */
export interface Shared {
  readonly addresses: readonly Address[];
  readonly admission: Admission;
  /** Returns the figures of the present phase. */
  figures(): Figures;
}

/** An MQTT 5 client that stays connected: it connects again, with backoff, to one address after the other. */
export abstract class LoadClient {
  isConnected = false;
  lastConnectedAt = 0;
  lostConnections = 0;
  /** The index of the address of its connection, or of the next attempt. */
  address: number;
  /** Whether the broker is about to end its session: it stays away then. */
  protected expectsEnd = false;
  protected readonly shared: Shared;
  readonly #home: number;
  readonly #credentials: Credentials;
  #wire: Wire | undefined;
  #isStopped = true;
  #attempt = 0;
  #retry: NodeJS.Timeout | undefined;
  #keepAlive: KeepAlive | undefined;
  #lostAt = 0;

  constructor(shared: Shared, home: number, credentials: Credentials) {
    this.shared = shared;
    this.#home = home % shared.addresses.length;
    this.address = this.#home;
    this.#credentials = credentials;
  }

  /** Connects, and stays connected until {@link stop}. */
  start(): void {
    this.#isStopped = false;
    this.#request();
  }

  /** Ends the connection with a DISCONNECT. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#leave();
  }

  /** Breaks the connection without a DISCONNECT. */
  break(): void {
    this.#wire?.destroy();
  }

  /** Moves a connection at another address to the first one. */
  goHome(): void {
    if (!this.isConnected || this.address === this.#home || this.expectsEnd) return;
    this.address = this.#home;
    this.#leave();
  }

  protected abstract onConnected(): void;
  protected abstract onPacket(packet: Packet): void;
  protected abstract onLost(): void;

  protected send(packet: Packet): void {
    this.#wire?.send(packet);
  }

  #leave(): void {
    if (this.isConnected) this.send({ cmd: "disconnect" });
    this.#wire?.end();
  }

  #request(): void {
    this.shared.admission.request(() => this.#connect());
  }

  #connect(): void {
    if (this.#isStopped) {
      this.shared.admission.release();
      return;
    }
    const began = nowMs();
    let isAdmitted = true;
    const release = () => {
      if (isAdmitted) this.shared.admission.release();
      isAdmitted = false;
      clearTimeout(timeout);
    };
    const wire = openWire(this.shared.addresses[this.address]!, this.#credentials, {
      packet: (packet) => {
        this.#keepAlive?.heard();
        if (packet.cmd !== "connack") return this.#take(packet);
        release();
        this.#connack(packet.reasonCode ?? 0, began);
      },
      ended: ({ error }) => {
        release();
        this.#ended(error);
      },
    });
    const timeout = setTimeout(() => wire.destroy(new Error("no CONNACK within 30 s")), CONNECT_MS);
    this.#wire = wire;
  }

  #connack(code: number, began: number): void {
    const figures = this.shared.figures();
    if (code !== 0) {
      figures.error(`CONNACK: ${reasonText(code)}`);
      this.#wire?.end();
      return;
    }
    const now = nowMs();
    figures.add("connected");
    figures.time("connect", now - began);
    if (this.#lostAt > 0) figures.time("absence", now - this.#lostAt);
    this.#lostAt = 0;
    this.#attempt = 0;
    this.isConnected = true;
    this.lastConnectedAt = now;
    const ping = () => this.send({ cmd: "pingreq" });
    this.#keepAlive = new KeepAlive(KEEP_ALIVE_SECONDS, ping, () => this.break());
    this.onConnected();
  }

  #take(packet: Packet): void {
    if (packet.cmd !== "disconnect") this.onPacket(packet);
    else if (!this.expectsEnd) this.shared.figures().error(`DISCONNECT: ${reasonText(packet.reasonCode ?? 0)}`);
  }

  #ended(error: NodeJS.ErrnoException | undefined): void {
    this.#wire = undefined;
    this.#keepAlive?.stop();
    if (this.#isStopped) return;
    const figures = this.shared.figures();
    if (error) figures.error(`connection: ${error.code ?? error.message}`);
    if (this.isConnected) {
      this.isConnected = false;
      this.lostConnections++;
      figures.add("lost connections");
      this.#lostAt = nowMs();
      this.onLost();
    }
    if (this.expectsEnd) return;
    // The first attempt comes immediately and at the same address, further ones with full jitter at the next one.
    const delay = this.#attempt === 0 ? 0 : delayMs(RECONNECT, this.#attempt - 1, Math.random());
    if (this.#attempt > 0) this.address = (this.address + 1) % this.shared.addresses.length;
    this.#attempt++;
    this.#retry = setTimeout(() => this.#request(), delay);
  }
}
