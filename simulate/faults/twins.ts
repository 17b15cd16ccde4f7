import type { Wire } from "../../agent/src/connection/wire.ts";
import { messageIdOf } from "../../load/publish-packet.ts";
import { credentialsOf, openWire } from "../clients/connection.ts";
import { type Address, type DeviceIdentity, nowMs } from "../clients/protocol.ts";

const PUBLISH_MS = 100;
/** The most unacknowledged messages of a connection. */
const WINDOW = 20;

/** One connection of a client id. */
interface Connection {
  readonly wire: Wire;
  readonly node: number;
  /** 0 until CONNACK. */
  openedAt: number;
  /** Infinity until its end. */
  endedAt: number;
  /** Packet id → an unacknowledged message and when it was sent. */
  readonly sent: Map<number, { number: number; at: number }>;
  /** When acknowledged messages were sent. */
  readonly acknowledged: number[];
}

const isOpen = ({ openedAt, endedAt }: Connection) => openedAt > 0 && endedAt === Number.POSITIVE_INFINITY;

/** A device that connects to two nodes at the same moment, again and again: only one connection may be served. */
class Twin {
  readonly identity: DeviceIdentity;
  readonly acknowledged: number[] = [];
  #connections: Connection[] = [];
  #next = 0;

  constructor(identity: DeviceIdentity) {
    this.identity = identity;
  }

  /** Connects to two nodes at the same time, in addition to the open connection. */
  connect(addresses: readonly Address[], nodes: readonly number[]): void {
    const left = this.#connections.filter(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY);
    this.#connections = [...left, ...nodes.map((node) => this.#open(addresses[node]!, node))];
  }

  publish(): void {
    for (const { wire, sent } of this.#connections.filter(isOpen)) {
      if (sent.size >= WINDOW) continue;
      const number = this.#next++;
      const messageId = messageIdOf(number);
      sent.set(messageId, { number, at: nowMs() });
      const about = { cmd: "publish", topic: this.identity.topic, qos: 1, retain: false, dup: false } as const;
      wire.send({ ...about, messageId, payload: `{"n":${number},"node":0}` });
    }
  }

  /** Returns pairs of connections that both got acknowledgements of messages sent while the other was open. */
  violations(): string[] {
    const opened = this.#connections.filter(({ openedAt }) => openedAt > 0);
    return opened.flatMap((one, index) =>
      opened.slice(index + 1).flatMap((other) => {
        if (!overlap(servedAfter(one, other.openedAt), servedAfter(other, one.openedAt))) return [];
        const began = Math.min(one.openedAt, other.openedAt);
        const times = `${describe(one, began)}; ${describe(other, began)}`;
        return [`${this.identity.deviceId}: two connections were served at the same time: ${times}`];
      }),
    );
  }

  /** Returns the nodes of connections that are open now. */
  openNodes(): number[] {
    return this.#connections.filter(isOpen).map(({ node }) => node);
  }

  stop(): void {
    for (const { wire } of this.#connections) wire.destroy();
  }

  #open(address: Address, node: number): Connection {
    const wire = openWire(address, credentialsOf(this.identity), {
      packet: ({ cmd, messageId = 0, ...rest }) => {
        const { reasonCode = 0 } = rest as { reasonCode?: number };
        if (cmd === "connack" && reasonCode === 0) connection.openedAt = nowMs();
        else if (cmd === "puback" && reasonCode < 0x80) this.#recordAcknowledged(connection, messageId);
      },
      ended: () => {
        connection.endedAt = nowMs();
      },
    });
    const times = { openedAt: 0, endedAt: Number.POSITIVE_INFINITY };
    const connection: Connection = { wire, node, ...times, sent: new Map(), acknowledged: [] };
    return connection;
  }

  #recordAcknowledged({ sent, acknowledged }: Connection, messageId: number): void {
    const message = sent.get(messageId);
    if (!message) return;
    sent.delete(messageId);
    acknowledged.push(message.at);
    this.acknowledged.push(message.number);
  }
}

const servedAfter = ({ acknowledged }: Connection, at: number) => acknowledged.filter((sent) => sent > at);

/** Describes a connection with times in seconds after `began`. */
function describe({ node, openedAt, endedAt, acknowledged }: Connection, began: number): string {
  const after = (ms: number) => ((ms - began) / 1000).toFixed(2);
  const sent = `${acknowledged.length} messages acknowledged, the last one sent at ${after(Math.max(...acknowledged))} s`;
  return `node ${node + 1}: open from ${after(openedAt)} to ${after(endedAt)} s, ${sent}`;
}

/** Returns whether one was served before and after a time at which the other was. */
function overlap(first: readonly number[], second: readonly number[]): boolean {
  if (first.length === 0 || second.length === 0) return false;
  return Math.max(...first) > Math.min(...second) && Math.max(...second) > Math.min(...first);
}

/** Devices whose connections contend for their session. */
export class Twins {
  readonly #twins: readonly Twin[];
  readonly #addresses: readonly Address[];
  readonly #timers: NodeJS.Timeout[] = [];
  #round = 0;
  readonly violations: string[] = [];

  constructor(identities: readonly DeviceIdentity[], addresses: readonly Address[]) {
    this.#twins = identities.map((identity) => new Twin(identity));
    this.#addresses = addresses;
  }

  /** Connects each twin to two nodes at the same time, every `seconds`, and publishes on all open connections. */
  start(seconds: number): void {
    const publish = () => {
      for (const twin of this.#twins) twin.publish();
    };
    this.#connect();
    this.#timers.push(
      setInterval(publish, PUBLISH_MS),
      setInterval(() => this.#connect(), seconds * 1000),
    );
  }

  /** Returns device id → the numbers of acknowledged messages. */
  acknowledged(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#twins.map(({ identity, acknowledged }) => [identity.deviceId, acknowledged]));
  }

  /** Returns twins with more than one open connection. */
  open(): string[] {
    return this.#twins
      .filter((twin) => twin.openNodes().length > 1)
      .map((twin) => `${twin.identity.deviceId}: open at the nodes ${twin.openNodes().map((node) => node + 1)}`);
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#record();
    for (const twin of this.#twins) twin.stop();
  }

  #connect(): void {
    this.#record();
    this.#round++;
    for (const [index, twin] of this.#twins.entries()) {
      const first = (this.#round + index) % this.#addresses.length;
      twin.connect(this.#addresses, [first, (first + 1) % this.#addresses.length]);
    }
  }

  #record(): void {
    for (const twin of this.#twins) this.violations.push(...twin.violations());
  }
}
