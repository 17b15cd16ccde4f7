import { createCipheriv, createHmac } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
/** A KeyUpdate with `update_requested` (RFC 8446 4.6.3). */
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 1]);
/** Bytes of a record's header, and those that its type and tag add to the data. */
const HEADER = 5;
const PROTECTION = 17;
const NOTHING = Buffer.alloc(0);

/**
 * A TLS 1.3 client whose records the test writes itself once Node has completed the handshake. It does not decrypt what
 * the server sends.
 */
export interface RawTls {
  readonly socket: Socket;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  /**
   * Sends `bytes` and resolves when the server has sent an answer of `length` bytes, which tells it from the session
   * tickets; rejects if the server closes the connection.
   */
  ask(bytes: Buffer, length: number): Promise<void>;
  /** Returns a record that contains `data`. */
  record(data: Iterable<number>): Buffer;
  /** Returns a number of records that each ask the server for new keys, 27 bytes each. */
  keyUpdates(count: number): Buffer;
}

export async function rawTls(port: number, options: ConnectionOptions = {}): Promise<RawTls> {
  const socket = connectTcp({ host: "127.0.0.1", port, noDelay: true });
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const records = new ReceivedRecords(socket);
  const writer = new RecordWriter(await clientSecret(socket, options));
  return {
    socket,
    closed,
    async ask(bytes, length) {
      const answered = records.ofLength(length);
      socket.write(bytes);
      const refused = closed.then(() => Promise.reject(new Error("the server closed the connection")));
      await Promise.race([answered, refused]);
    },
    record: (data) => writer.record(APPLICATION_DATA, Uint8Array.from(data)),
    keyUpdates: (count) => Buffer.concat(Array.from({ length: count }, () => writer.keyUpdate())),
  };
}

/** Performs the handshake, and returns the secrets from which the client's keys are derived. */
async function clientSecret(socket: Socket, options: ConnectionOptions): Promise<Buffer> {
  // Node sends two flights; the second leaves after Node has reported the handshake as complete.
  let flights = 0;
  const sent = Promise.withResolvers<void>();
  const between = new Duplex({
    read: () => undefined,
    write(chunk, _, done) {
      socket.write(chunk, () => done());
      if (++flights === 2) sent.resolve();
    },
  });
  const receive = (chunk: Buffer) => between.push(chunk);
  socket.on("data", receive);
  const ciphers = "TLS_AES_128_GCM_SHA256";
  const tls = connectTls({ ...options, socket: between, rejectUnauthorized: false, minVersion: "TLSv1.3", ciphers });
  tls.on("error", () => undefined);
  let secret: string | undefined;
  tls.on("keylog", (line: Buffer) => {
    secret ??= /^CLIENT_TRAFFIC_SECRET_0 \S+ (\w+)/.exec(line.toString())?.[1];
  });
  await Promise.all([once(tls, "secureConnect"), sent.promise]);
  socket.off("data", receive).resume();
  return Buffer.from(secret!, "hex");
}

/** Reads the lengths of the records that a server sends (RFC 8446 5.2). */
class ReceivedRecords {
  #received = NOTHING;
  #awaited: { length: number; resolve: () => void } | undefined;

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      while (this.#received.length >= HEADER && this.#received.length >= this.#size()) {
        this.#found(this.#size() - HEADER - PROTECTION);
        this.#received = this.#received.subarray(this.#size());
      }
    });
  }

  /** Resolves when a record with `length` bytes of data has arrived. */
  ofLength(length: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { length, resolve };
    });
  }

  #size(): number {
    return HEADER + this.#received.readUInt16BE(3);
  }

  #found(length: number): void {
    if (this.#awaited?.length === length) this.#awaited.resolve();
  }
}

/** The record layer of a client (RFC 8446 5.2 and 7.2), with AES-128-GCM. */
class RecordWriter {
  #secret: Buffer;
  #key = NOTHING;
  #iv = NOTHING;
  #sequence = 0n;

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#deriveKeys();
  }

  keyUpdate(): Buffer {
    const record = this.record(HANDSHAKE, KEY_UPDATE);
    this.#secret = expand(this.#secret, "traffic upd", 32);
    this.#deriveKeys();
    return record;
  }

  record(type: number, content: Uint8Array): Buffer {
    const head = Buffer.from([APPLICATION_DATA, 3, 3, 0, 0]);
    head.writeUInt16BE(content.length + PROTECTION, 3);
    const cipher = createCipheriv("aes-128-gcm", this.#key, this.#nonce()).setAAD(head);
    return Buffer.concat([
      head,
      cipher.update(content),
      cipher.update(Buffer.from([type])),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
  }

  #deriveKeys(): void {
    this.#key = expand(this.#secret, "key", 16);
    this.#iv = expand(this.#secret, "iv", 12);
    this.#sequence = 0n;
  }

  #nonce(): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ this.#sequence++, 4);
    return nonce;
  }
}

/** HKDF-Expand-Label (RFC 8446 7.1) for at most 32 bytes. */
function expand(secret: Buffer, name: string, length: number): Buffer<ArrayBuffer> {
  const label = Buffer.from(`tls13 ${name}`);
  const info = Buffer.from([0, length, label.length, ...label, 0, 1]);
  return Buffer.from(createHmac("sha256", secret).update(info).digest().subarray(0, length));
}
