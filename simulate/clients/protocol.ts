/** The MQTT listener of a node, or of the load balancer in front of several. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The name that the certificate is verified for, where it is not `host`. */
  readonly servername?: string;
}

export type Qos = 0 | 1 | 2;

/** The credentials and topics of a simulated device. */
export interface DeviceIdentity {
  readonly deviceId: string;
  readonly key: string;
  readonly fullchain: string;
  /** The PEM that verifies the broker, as the enrollment answered it. */
  readonly ca: string;
  readonly topic: string;
  /** The first topic that its type lists for subscriptions, if any. */
  readonly commandTopic?: string | undefined;
}

/** An MQTT client with a password that subscribes to the devices' topics. */
export interface Gateway {
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  readonly filter: string;
}

/** The plan that a load process gets at its start. */
export interface LoadPlan {
  readonly addresses: readonly Address[];
  readonly devices: readonly { identity: DeviceIdentity; qos: Qos; home: number }[];
  readonly gateways: readonly { gateway: Gateway; ca: string; home: number }[];
  /** The topics of all simulated devices, for gateways. */
  readonly topics: readonly string[];
  /** Seconds between two messages of a device. */
  readonly every: number;
  readonly metrics: number;
  /** Whether messages carry their device's times instead of the times of their arrival. */
  readonly hasOwnTimes: boolean;
  readonly receivesCommands: boolean;
}

/** The state of load processes at one moment. */
export interface LoadStatus {
  readonly clients: number;
  readonly connected: number;
  /** When the last of them connected, in milliseconds since 1970; 0 is never. */
  readonly lastConnectedAt: number;
  readonly inFlight: number;
  readonly lostConnections: number;
  readonly published: number;
  readonly received: number;
}

/** The messages that a device has published. */
export interface PublishedByDevice {
  readonly topic: string;
  readonly qos: Qos;
  /** Its messages have the numbers from 0 up to this, exclusive. */
  readonly published: number;
  readonly refused: readonly number[];
}

/** The messages that a device has published, and their outcomes. */
export interface DeviceResult extends PublishedByDevice {
  readonly deviceId: string;
  /** Published again after a lost connection: they may be stored twice. */
  readonly repeated: readonly number[];
  readonly unacknowledged: readonly number[];
  /** Whether its certificate was revoked: its last messages are not acknowledged. */
  readonly isRevoked: boolean;
  readonly commands: readonly number[];
}

/** The published messages that did not arrive at a gateway. */
export interface GatewayResult {
  readonly clientId: string;
  readonly lost: number;
  readonly missedWhileAway: number;
}

/** Returns milliseconds since 1970, with fractions: processes of one machine agree on it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
