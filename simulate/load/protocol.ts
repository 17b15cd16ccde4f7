import type { FiguresData } from "../figures/figures.ts";

/** Where a node, or the load balancer in front of several, accepts MQTT over TLS. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The name that the certificate is verified for, where it is not `host`. */
  readonly servername?: string;
}

export type Qos = 0 | 1 | 2;

/** What a simulated device connects with. */
export interface DeviceIdentity {
  readonly deviceId: string;
  readonly key: string;
  readonly fullchain: string;
  /** PEM that verifies the broker, as the enrollment answered it. */
  readonly ca: string;
  readonly topic: string;
  /** The first topic that its type lists for subscriptions, if any. */
  readonly commandTopic?: string | undefined;
}

/** An MQTT client with a password that subscribes to what the devices publish. */
export interface Gateway {
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  readonly filter: string;
}

/** What a load process is given at its start. */
export interface LoadPlan {
  readonly addresses: readonly Address[];
  readonly devices: readonly { identity: DeviceIdentity; qos: Qos; home: number }[];
  readonly gateways: readonly { gateway: Gateway; ca: string; home: number }[];
  /** Topics of all simulated devices, for gateways. */
  readonly topics: readonly string[];
  /** Seconds between two messages of a device. */
  readonly every: number;
  readonly metrics: number;
  /** Messages have times of their devices, not those of their arrival. */
  readonly hasOwnTimes: boolean;
  readonly receivesCommands: boolean;
}

/** What a load process is at, at one moment. */
export interface LoadStatus {
  readonly clients: number;
  readonly connected: number;
  /** When the last of them was connected, in milliseconds since 1970; 0 is never. */
  readonly lastConnectedAt: number;
  readonly inFlight: number;
  readonly lostConnections: number;
  readonly published: number;
  readonly received: number;
}

/** What a device has published, and what of it is settled, at the end. */
export interface DeviceResult {
  readonly deviceId: string;
  readonly topic: string;
  readonly qos: Qos;
  /** Its messages have the numbers from 0 to this, without it. */
  readonly published: number;
  readonly refused: readonly number[];
  /** Published again after a lost connection: they may be stored twice. */
  readonly repeated: readonly number[];
  readonly unacknowledged: readonly number[];
  /** Whether its certificate was revoked: what it had on its way is not acknowledged. */
  readonly isRevoked: boolean;
  readonly commands: readonly number[];
}

/** What arrived at a gateway of what `published` says. */
export interface GatewayResult {
  readonly clientId: string;
  readonly lost: number;
  readonly missedWhileAway: number;
}

export interface PublishedByDevice {
  readonly topic: string;
  readonly qos: Qos;
  readonly published: number;
  readonly refused: readonly number[];
}

/** The requests that the simulator sends to a load process, and their answers. */
export interface LoadRequests {
  /** Begins to connect `perSecond` clients a second; they stay connected from then on. */
  connect(perSecond: number): void;
  publish(on: boolean): void;
  /** Breaks every connection; the clients connect again at once. */
  storm(): void;
  /** Clients that have a connection to another address than their first one connect to that again. */
  goHome(): void;
  status(): LoadStatus;
  /** What happened since the last call. */
  takeFigures(): FiguresData;
  /** Devices whose certificates are about to be revoked: they stay away once their session ends. */
  expectEnd(deviceIds: readonly string[]): void;
  /** When sessions of {@link LoadRequests.expectEnd} ended, in milliseconds since 1970. */
  ends(): readonly [deviceId: string, at: number][];
  deviceResults(): DeviceResult[];
  gatewayResults(published: readonly PublishedByDevice[]): GatewayResult[];
  stop(): void;
}

/** Milliseconds since 1970, with fractions: processes of one machine agree on it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
