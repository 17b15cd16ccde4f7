import { Wire } from "../../agent/src/connection/wire.ts";
import { sleep } from "../../load/measure.ts";
import { type Address, type DeviceIdentity, nowMs } from "../load/protocol.ts";

const PUBLISH_MS = 100;
const LONGEST_PACKET = 64 * 1024;

/** One connection of a client id. */
interface Connection {
  readonly wire: Wire;
  readonly node: number;
  /** 0 until CONNACK. */
  openedAt: number;
  isEnded: boolean;
  endedAt: number;
  /** Packet id → the time at which a message was sent that is not acknowledged yet. */
  readonly sent: Map<number, { number: number; at: number }>;
  /** When messages were sent that were acknowledged. */
  readonly acknowledged: number[];
}

/** A device whose client id connects to two nodes at the same moment, again and again: of its connections one may be served. */
class Twin {
  readonly identity: DeviceIdentity;
  readonly acknowledged: number[] = [];
  #connections: Connection[] = [];
  #next = 0;

  constructor(identity: DeviceIdentity) {
    this.identity = identity;
  }

  /** Connects to two nodes at once, beside the connection that is there. */
  connect(addresses: readonly Address[], nodes: readonly number[]): void {
    this.#connections = this.#connections.filter(({ isEnded }) => !isEnded);
    for (const node of nodes) this.#connections.push(this.#open(addresses[node]!, node));
  }

  publish(): void {
    for (const { wire, openedAt, isEnded, sent } of this.#connections) {
      if (openedAt === 0 || isEnded || sent.size >= 20) continue;
      const number = this.#next++;
      const messageId = (number % 65_535) + 1;
      sent.set(messageId, { number, at: nowMs() });
      const payload = `{"n":${number},"node":0}`;
      wire.send({ cmd: "publish", topic: this.identity.topic, payload, qos: 1, messageId, retain: false, dup: false });
    }
  }

  /** Pairs of connections that both got acknowledgements of what they had sent while the other was open. */
  violations(): string[] {
    const open = this.#connections.filter(({ openedAt }) => openedAt > 0);
    const found: string[] = [];
    for (const [index, one] of open.entries())
      for (const other of open.slice(index + 1)) {
        const [first, second] = [servedAfter(one, other.openedAt), servedAfter(other, one.openedAt)];
        if (first.length > 0 && second.length > 0 && overlap(first, second)) {
          const [began, ...parts] = [Math.min(one.openedAt, other.openedAt), describe(one), describe(other)];
          const times = parts.map((part) => part(began)).join("; ");
          found.push(`${this.identity.deviceId}: two connections were served at once: ${times}`);
        }
      }
    return found;
  }

  /** Nodes of connections that are open now. */
  openNodes(): number[] {
    return this.#connections.filter(({ openedAt, isEnded }) => openedAt > 0 && !isEnded).map(({ node }) => node);
  }

  stop(): void {
    for (const { wire } of this.#connections) wire.destroy();
  }

  #open({ host, port, servername = host }: Address, node: number): Connection {
    const { key, fullchain: cert, ca, deviceId: clientId } = this.identity;
    const connection: Connection = {
      node,
      openedAt: 0,
      isEnded: false,
      endedAt: Number.POSITIVE_INFINITY,
      sent: new Map(),
      acknowledged: [],
      wire: new Wire({ key, cert, ca, host, port, servername, minVersion: "TLSv1.2" }, 5, LONGEST_PACKET, {
        packet: (packet) => {
          if (packet.cmd === "connack" && (packet.reasonCode ?? 0) === 0) connection.openedAt = nowMs();
          else if (packet.cmd === "puback" && (packet.reasonCode ?? 0) < 0x80)
            this.#settle(connection, packet.messageId!);
        },
        ended: () => {
          connection.isEnded = true;
          connection.endedAt = nowMs();
        },
      }),
    };
    connection.wire.send({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: 5,
      clean: true,
      keepalive: 60,
      clientId,
    });
    return connection;
  }

  #settle({ sent, acknowledged }: Connection, messageId: number): void {
    const message = sent.get(messageId);
    if (!message) return;
    sent.delete(messageId);
    acknowledged.push(message.at);
    this.acknowledged.push(message.number);
  }
}

const servedAfter = ({ acknowledged }: Connection, at: number) => acknowledged.filter((sent) => sent > at);

/** Its times, in seconds after `began`. */
function describe({ node, openedAt, endedAt, acknowledged }: Connection): (began: number) => string {
  return (began) => {
    const after = (ms: number) => ((ms - began) / 1000).toFixed(2);
    const sent = `${acknowledged.length} messages acknowledged, sent at ${after(Math.min(...acknowledged))} to ${after(Math.max(...acknowledged))} s`;
    return `node ${node + 1}: open from ${after(openedAt)} to ${after(endedAt)} s, ${sent}`;
  };
}

/** Whether one was served before and after a time at which the other was. */
function overlap(first: readonly number[], second: readonly number[]): boolean {
  return Math.max(...first) > Math.min(...second) && Math.max(...second) > Math.min(...first);
}

/** Devices whose connections contend for their session. */
export class Twins {
  readonly #twins: readonly Twin[];
  readonly #addresses: readonly Address[];
  readonly #publishing: NodeJS.Timeout;
  #round = 0;
  #isStopped = false;
  readonly violations: string[] = [];

  constructor(identities: readonly DeviceIdentity[], addresses: readonly Address[]) {
    this.#twins = identities.map((identity) => new Twin(identity));
    this.#addresses = addresses;
    this.#publishing = setInterval(() => {
      for (const twin of this.#twins) twin.publish();
    }, PUBLISH_MS);
  }

  /** Connects each twin to two nodes at once, every `seconds`, until {@link Twins.stop}. */
  async run(seconds: number): Promise<void> {
    while (!this.#isStopped) {
      this.#record();
      this.#round++;
      for (const [index, twin] of this.#twins.entries()) {
        const first = (this.#round + index) % this.#addresses.length;
        twin.connect(this.#addresses, [first, (first + 1) % this.#addresses.length]);
      }
      await sleep(seconds * 1000);
    }
  }

  /** Device id → numbers that were acknowledged. */
  acknowledged(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#twins.map(({ identity, acknowledged }) => [identity.deviceId, acknowledged]));
  }

  /** Twins with more than one open connection. */
  open(): string[] {
    return this.#twins
      .filter((twin) => twin.openNodes().length > 1)
      .map((twin) => `${twin.identity.deviceId}: open at the nodes ${twin.openNodes().map((node) => node + 1)}`);
  }

  /** Number of twins with an open connection. */
  get connected(): number {
    return this.#twins.filter((twin) => twin.openNodes().length > 0).length;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#publishing);
    this.#record();
    for (const twin of this.#twins) twin.stop();
  }

  #record(): void {
    for (const twin of this.#twins) this.violations.push(...twin.violations());
  }
}
