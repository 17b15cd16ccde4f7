import type { Socket } from "node:net";
import { SECOND } from "../clock.ts";
import type { Limits } from "../limits/limits.ts";

/**
 * The interval between checks: 50,000 connections take 2 to 7 ms. Timers run between two reads of a socket, so a client
 * that sends KeyUpdates has the processor until the next check, and then for one more read, 87 KB or 50 ms.
 */
const CHECK_MS = 250;

/**
 * The overhead permitted per byte of data: an MQTT acknowledgement of 4 bytes in its own TLS 1.2 record takes 33, or 7
 * more per byte.
 */
const RECORD_BYTES_PER_BYTE = 8;

export type OverheadLimits = Pick<Limits, "tlsOverheadBytes" | "tlsRecordBytes">;

/**
 * The fields that the check reads from a raw socket and the TLS socket over it. Node counts the bytes it has read in
 * both, even while they are paused.
 */
export type Received = Pick<Socket, "bytesRead" | "readableLength">;

interface Connection {
  tls: Received | undefined;
  isAdmitted: boolean;
  rawBytes: number;
  dataBytes: number;
  /** Bytes other than data, less the allowance since then. */
  overhead: number;
}

export interface TlsOverheadOptions {
  limits: OverheadLimits;
  /** Raw bytes that a connection may receive before it is admitted. */
  maxFirstBytes: number;
  /** Called when the connection has sent too much; it is no longer checked. */
  onExceeded(raw: Socket): void;
}

/**
 * Finds connections that receive far more than data. TLS handles records without data, such as KeyUpdate (RFC 8446
 * 4.6.3), before any limit counts them, and an answer to one costs about 16 µs. Time is counted in checks, so a stalled
 * process permits no more.
 */
export class TlsOverhead {
  readonly #options: TlsOverheadOptions;
  readonly #connections = new Map<Socket, Connection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TlsOverheadOptions) {
    this.#options = options;
  }

  /** Records an accepted connection. */
  opened(raw: Socket): void {
    this.#connections.set(raw, { tls: undefined, isAdmitted: false, rawBytes: 0, dataBytes: 0, overhead: 0 });
    raw.once("close", () => this.#remove(raw));
    this.#timer ??= setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** Records a connection whose handshake is done. */
  secured(raw: Socket, tls: Received): void {
    const connection = this.#connections.get(raw);
    if (connection) connection.tls = tls;
  }

  /**
   * Admits an MQTT client that has its CONNACK, or an HTTPS client whose first request has begun: it may now send any
   * number of bytes.
   */
  admitted(raw: Socket): void {
    const connection = this.#connections.get(raw);
    if (connection) connection.isAdmitted = true;
  }

  /** Checks every connection, as the timer does. */
  check(): void {
    for (const [raw, connection] of this.#connections) {
      const { bytesRead } = raw;
      if (bytesRead === connection.rawBytes && connection.overhead === 0) continue;
      this.#count(connection, bytesRead);
      if (!this.#isExceeded(connection)) continue;
      this.#remove(raw);
      this.#options.onExceeded(raw);
    }
  }

  #count(connection: Connection, rawBytes: number): void {
    const { tlsOverheadBytes, tlsRecordBytes } = this.#options.limits;
    const dataBytes = connection.tls?.bytesRead ?? 0;
    const data = dataBytes - connection.dataBytes;
    const overhead = rawBytes - connection.rawBytes - data;
    const ofRecords = Math.min(RECORD_BYTES_PER_BYTE * data, inOneCheck(tlsRecordBytes));
    const allowed = inOneCheck(tlsOverheadBytes) + ofRecords;
    connection.overhead = Math.max(0, connection.overhead + overhead - allowed);
    connection.rawBytes = rawBytes;
    connection.dataBytes = dataBytes;
  }

  #isExceeded({ overhead, isAdmitted, rawBytes, tls }: Connection): boolean {
    if (overhead > this.#options.limits.tlsOverheadBytes) return true;
    // Data waiting in a paused socket is not counted: a client may send packets before it has the CONNACK [MQTT-3.1.4].
    return !isAdmitted && rawBytes - (tls?.readableLength ?? 0) > this.#options.maxFirstBytes;
  }

  #remove(raw: Socket): void {
    this.#connections.delete(raw);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function inOneCheck(bytesPerSecond: number): number {
  return (bytesPerSecond * CHECK_MS) / SECOND;
}
