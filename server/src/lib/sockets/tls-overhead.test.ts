import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../limits/limits.ts";
import { TlsOverhead } from "./tls-overhead.ts";

const CHECKS_A_SECOND = 4;
const KIB = 1024;
/** The overhead of a record: in TLS 1.3, and with AES-GCM in 1.2. */
const RECORD_BYTES = [22, 29];

/** A connection whose handshake is done. */
function connection(maxFirstBytes = 96 * KIB) {
  const raw = Object.assign(new EventEmitter(), { bytesRead: 2_000 }) as unknown as Socket & { bytesRead: number };
  const tls = { bytesRead: 0, readableLength: 0 };
  let isExceeded = false;
  const overhead = new TlsOverhead({
    limits: DEFAULT_LIMITS,
    maxFirstBytes,
    onExceeded() {
      isExceeded = true;
    },
  });
  overhead.opened(raw);
  overhead.secured(raw, tls);
  const receive = (rawBytes: number, data = 0) => {
    raw.bytesRead += rawBytes;
    tls.bytesRead += data;
  };
  /** Reports whether the connection is closed within a minute if it receives this much every second. */
  const isClosedAt = (rawBytes: number, data: number) => {
    for (let n = 0; n < 60 * CHECKS_A_SECOND && !isExceeded; n++) {
      receive(rawBytes / CHECKS_A_SECOND, data / CHECKS_A_SECOND);
      overhead.check();
    }
    raw.emit("close");
    return isExceeded;
  };
  const isClosed = () => {
    overhead.check();
    raw.emit("close");
    return isExceeded;
  };
  return { raw, tls, receive, isClosed, isClosedAt, admit: () => overhead.admitted(raw) };
}

function authenticated(): ReturnType<typeof connection> {
  const made = connection();
  made.admit();
  return made;
}

test("before a client has authenticated, its raw bytes are limited, not counting unread data", () => {
  const sending = (bytes: number, waiting: number) => {
    const { tls, receive, isClosed } = connection();
    receive(bytes, bytes);
    tls.readableLength = waiting;
    return isClosed();
  };
  assert.deepEqual([sending(94 * KIB, 0), sending(95 * KIB, 0), sending(150 * KIB, 60 * KIB)], [false, true, false]);
});

test("64 KiB of overhead, and the same again each second, are allowed", () => {
  const { receive, isClosed } = authenticated();
  receive(90 * KIB);
  assert.equal(isClosed(), true);
  assert.equal(authenticated().isClosedAt(64 * KIB, 0), false);
  assert.equal(authenticated().isClosedAt(70 * KIB, 0), true);
});

test("records of one message or acknowledgement each are allowed at any rate that clients attain", () => {
  for (const perRecord of RECORD_BYTES) {
    assert.equal(authenticated().isClosedAt(18_000 * (4 + perRecord), 18_000 * 4), false, "acknowledgements");
    assert.equal(authenticated().isClosedAt(200 * (1 + perRecord), 200), false, "PINGREQs in two records");
  }
});

test("data permits a limited number of KeyUpdates", () => {
  const data = 500 * KIB;
  assert.equal(authenticated().isClosedAt(data + 500 * KIB, data), false);
  assert.equal(authenticated().isClosedAt(data + 520 * KIB, data), true);
});
