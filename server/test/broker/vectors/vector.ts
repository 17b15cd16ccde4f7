export type Version = 3 | 4 | 5;

/** A step of a client. */
export type Action =
  | { send: Buffer }
  /** The client must receive exactly these bytes next. */
  | { receive: Buffer }
  /** Another client, with MQTT 3.1.1, publishes a message and completes its handshake. */
  | { publish: { topic: string; payload: string; qos: 0 | 1 | 2 } };

/** A client's bytes and the broker's complete answer to them. */
export interface Vector {
  name: string;
  version: Version;
  /** Whether the client first sends a CONNECT that is accepted. */
  isConnected: boolean;
  actions: readonly Action[];
  /** Whether the broker answers a PINGREQ at the end; otherwise it closes the connection. */
  stays: boolean;
}

interface Given {
  name: string;
  version: Version;
  bytes: Buffer | number[];
  isConnected?: boolean;
}

/** Returns a vector whose connection closes without an answer. */
export function closes(version: Version, name: string, bytes: Buffer | number[], isConnected = true): Vector {
  return vector({ version, name, bytes, isConnected }, undefined, false);
}

/** Returns a vector with this answer, after which the connection stays open. */
export function stays(version: Version, name: string, bytes: Buffer | number[], answer?: Buffer | number[]): Vector {
  return vector({ version, name, bytes }, answer, true);
}

/** Returns a vector whose connection MQTT 3.1.1 closes, and MQTT 5 closes after a DISCONNECT with this reason code. */
export function ends(version: Version, name: string, bytes: Buffer | number[], code: number): Vector {
  return vector({ version, name, bytes }, version === 5 ? [0xe0, 1, code] : undefined, false);
}

/** Returns a CONNECT that is refused with this return code (MQTT 3.1.1) or reason code (MQTT 5). */
export function refuses(version: Version, name: string, bytes: Buffer, code: number): Vector {
  const answer = version === 5 ? [0x20, 3, 0, code, 0] : [0x20, 2, 0, code];
  return vector({ version, name, bytes, isConnected: false }, answer, false);
}

/** Returns a CONNECT that is accepted. */
export function accepts(version: Version, name: string, bytes: Buffer): Vector {
  return vector({ version, name, bytes, isConnected: false }, connackOf(version), true);
}

function vector(given: Given, answer: Buffer | number[] | undefined, remains: boolean): Vector {
  const { name, version, bytes, isConnected = true } = given;
  const actions: Action[] = [{ send: Buffer.from(bytes) }];
  if (answer) actions.push({ receive: Buffer.from(answer) });
  return { name, version, isConnected, actions, stays: remains };
}

/** Topic alias maximum 10, maximum packet size 2,000,000, receive maximum 20. */
const LIMITS = [0x22, 0, 10, 0x27, 0, 0x1e, 0x84, 0x80, 0x21, 0, 20];

export function connackOf(version: Version): Buffer {
  if (version < 5) return Buffer.of(0x20, 2, 0, 0);
  return Buffer.of(0x20, 3 + LIMITS.length, 0, 0, LIMITS.length, ...LIMITS);
}
