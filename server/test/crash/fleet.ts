import { connect, type TLSSocket } from "node:tls";
import { generate, type IPublishPacket, type Packet, parser } from "mqtt-packet";
import { type CrashFixture, type Device, deviceOf } from "../harness/processes/crash.ts";
import type { ServerProcess } from "../harness/processes/process.ts";

/** A device that records the commands it gets. */
export interface Unit {
  readonly device: Device;
  /** The ids of the commands that arrived, with repetitions. */
  readonly received: unknown[];
  /** Whether it has sent an acknowledgement. */
  isAcknowledged: boolean;
  /** Whether its next command stays unacknowledged and is followed by a takeover. */
  takesOver: boolean;
  /** Whether its sessions are stored. */
  readonly isStored: boolean;
  socket?: TLSSocket;
}

const AT_ONCE = 24;
const USES_OF_CLAIM = 100;

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Enrolls devices; every third takes its session over, every other has stored sessions. */
export async function enrollUnits(fixture: CrashFixture, count: number): Promise<Unit[]> {
  const units: Unit[] = [];
  for (let left = count; left > 0; left -= USES_OF_CLAIM) {
    const { claimCode } = await fixture.claim(USES_OF_CLAIM);
    await eachOf(Array.from({ length: Math.min(USES_OF_CLAIM, left) }), async () => {
      const { key, body } = await fixture.redemptionOf(claimCode);
      const device = deviceOf(await fixture.redeem(body), key);
      const [isStored, takesOver] = [units.length % 2 === 0, units.length % 3 === 0];
      units.push({ device, received: [], isAcknowledged: false, takesOver, isStored });
    });
  }
  return units;
}

/** The connections of devices to the processes of a service, which the test kills. */
export interface Fleet {
  /** Connects the devices that are not connected. Returns when each has subscribed, or lost its connection. */
  connect(units: readonly Unit[]): Promise<void>;
  /** Resolves when `condition` holds after a command has arrived. */
  until(condition: () => boolean): Promise<void>;
}

/**
 * @param main the process that devices connect to
 * @param elsewhere the process that they connect to for a takeover
 */
export function createFleet(main: () => ServerProcess, elsewhere: () => ServerProcess): Fleet {
  let arrive: () => void = () => undefined;

  /** Returns when the device has subscribed, or its connection is closed. */
  async function open(unit: Unit, { mqttPort: port }: ServerProcess): Promise<void> {
    const { ca, fullchain: cert, key, deviceId: clientId } = unit.device;
    const socket = connect({ host: "localhost", port, ca, cert, key });
    const send = (packet: Packet) => socket.write(generate(packet, { protocolVersion: 5 }));
    socket.on("error", () => undefined);
    socket.once("secureConnect", () => send(connectPacket(unit, clientId)));
    const parsed = parser({ protocolVersion: 5 });
    socket.on("data", (bytes) => parsed.parse(bytes));
    const { promise: subscribed, resolve: onSubscribed } = Promise.withResolvers<void>();
    parsed.on("packet", (packet) => {
      if (packet.cmd === "connack" && packet.reasonCode === 0) {
        unit.socket = socket;
        send(subscribePacket(clientId));
      }
      if (packet.cmd === "suback") onSubscribed();
      if (packet.cmd === "publish") take(unit, packet, send);
    });
    await Promise.race([subscribed, closed(socket)]);
  }

  function take(unit: Unit, { properties, messageId }: IPublishPacket, send: (packet: Packet) => void): void {
    unit.received.push(properties?.userProperties?.commandId);
    if (unit.takesOver) {
      unit.takesOver = false;
      void open(unit, elsewhere());
    } else {
      unit.isAcknowledged = true;
      send({ cmd: "puback", messageId: messageId!, reasonCode: 0 });
    }
    arrive();
  }

  return {
    connect: (units) =>
      eachOf(
        units.filter(({ socket }) => socket === undefined || socket.closed),
        (unit) => open(unit, main()),
      ),
    until: (condition) =>
      new Promise((resolve) => {
        arrive = () => condition() && resolve();
        arrive();
      }),
  };
}

/** Resolves when the connection is closed, whatever ended it. */
export function closed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())));
}

function connectPacket({ isStored }: Unit, clientId: string): Packet {
  const properties = { sessionExpiryInterval: isStored ? 600 : 0 };
  return { cmd: "connect", protocolVersion: 5, clientId, clean: !isStored, keepalive: 600, properties };
}

function subscribePacket(clientId: string): Packet {
  return { cmd: "subscribe", messageId: 1, subscriptions: [{ topic: `t/acme/commands/${clientId}`, qos: 1 }] };
}
