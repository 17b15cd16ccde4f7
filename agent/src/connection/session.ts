import type { IConnackPacket, IPublishPacket } from "mqtt-packet";
import { AgentError, type AgentErrorDetails } from "../errors.ts";
import { isTrustError } from "../http.ts";
import type { Identity } from "../state/identity.ts";
import { type Address, addressText, brokerAddress, tlsOptions } from "./address.ts";
import { type Acknowledged, Connection, type ConnectionEnd, type OutgoingPublish } from "./connection.ts";
import {
  BUSY,
  connackReason,
  isFailure,
  type MqttVersion,
  printable,
  QOS_NOT_SUPPORTED,
  REFERS,
  reasonText,
  UNSUPPORTED_VERSION,
} from "./reasons.ts";

/** The end of a session. */
export interface SessionEnd {
  /** The reason in words. */
  text: string;
  /** The reason code of the broker's DISCONNECT. */
  code?: number;
  /** Another server to which the broker refers. */
  serverReference?: string;
}

/** One accepted MQTT connection. It does not reconnect. */
export interface Session {
  readonly version: MqttVersion;
  /**
   * Whether the broker has continued the session of an earlier connection, so that resent messages keep their packet
   * ids.
   */
  readonly isContinued: boolean;
  /** The number of messages that may be unacknowledged at once. */
  readonly receiveMaximum: number;
  /**
   * Sends a message at QoS 1 and returns 0, or the reason code with which the broker would refuse it: too large, or
   * retained if that is not supported. An acknowledgement may never arrive: see `closed`.
   */
  publish(message: OutgoingPublish, acknowledged: Acknowledged): number;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<SessionEnd>;
  /** Sends DISCONNECT and closes. */
  end(): Promise<void>;
}

/** The receiver of a device's messages: `take` gets each message and a function that acknowledges it. */
export interface Subscriptions {
  take(packet: IPublishPacket, acknowledge: (code: number) => void, isOpen: () => boolean): void;
  refused(topic: string, code: number): void;
}

/** Options for opening a session. */
export interface SessionOptions {
  signal?: AbortSignal | undefined;
  /** `auto` by default: MQTT 5, or 3.1.1 if the broker answers that it does not speak 5. */
  mqttVersion?: MqttVersion | "auto" | undefined;
  /** A server other than the identity's broker, to which the broker has referred. */
  address?: Address | undefined;
  /** The receiver of messages on the identity's subscribe topics; without it they wait at the broker. */
  subscriptions?: Subscriptions | undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** A week: the longest time for which a Muster broker keeps the session of a disconnected client. */
const SESSION_EXPIRY_SECONDS = 7 * 86_400;

/**
 * Connects with the identity's certificate, full chain and exact client id (spec 4.10), with MQTT 5. If a broker has
 * shown its certificate and says that it does not speak MQTT 5, the agent connects with 3.1.1; if it merely closes the
 * connection, the agent does not.
 *
 * The broker keeps the session of a device that may subscribe, so that messages for it wait while it is offline.
 * Without subscribe topics the session is clean: messages from the agent are in its own queue, and are resent from
 * there.
 *
 * @throws AgentError `unreachable` (no route, no answer), `untrusted_server` (the broker's certificate), `refused`
 *   (closed, or a CONNACK other than 0, after TCP was up: revoked, expired, other client id), `busy`,
 *   `use_another_server`, `closed` (aborted)
 */
export async function openSession(identity: Identity, options: SessionOptions = {}): Promise<Session> {
  const { mqttVersion = "auto" } = options;
  if (mqttVersion !== "auto") return await open(identity, mqttVersion, options);
  try {
    return await open(identity, "5", options);
  } catch (error) {
    if (!(error instanceof AgentError) || error.reasonCode !== UNSUPPORTED_VERSION) throw error;
    return await open(identity, "3.1.1", options);
  }
}

async function open(identity: Identity, version: MqttVersion, options: SessionOptions): Promise<Session> {
  const { signal, subscriptions } = options;
  if (signal?.aborted) throw aborted();
  const address = options.address ?? brokerAddress(identity);
  const topics = identity.device.subscribeTopics;
  const receiving = subscriptions === undefined ? undefined : receiver(subscriptions);
  const connection = new Connection({
    tls: tlsOptions(identity, address),
    version: version === "5" ? 5 : 4,
    clientId: identity.device.deviceId,
    sessionExpiry: topics.length > 0 ? SESSION_EXPIRY_SECONDS : 0,
    onMessage: receiving?.onMessage,
  });
  receiving?.attach(connection);
  const { isTimedOut, connack } = await answerOf(connection, signal);
  if (signal?.aborted) {
    connection.destroy();
    throw aborted();
  }
  const code = connack === undefined ? undefined : (connack.reasonCode ?? connack.returnCode ?? 0);
  if (connack === undefined || code !== 0) throw failure(address, await connection.closed, { isTimedOut, connack });
  if (connack.properties?.maximumQoS === 0) {
    connection.end();
    throw refusal(`The broker at ${addressText(address)}`, { ...connack, reasonCode: QOS_NOT_SUPPORTED });
  }
  if (topics.length > 0 && subscriptions !== undefined) void subscribe(connection, topics, subscriptions);
  return sessionOn(connection, version, connack);
}

/**
 * Resolves with the CONNACK, or undefined if the connection ended before, or was ended here after a time limit or an
 * abort.
 */
async function answerOf(connection: Connection, signal: AbortSignal | undefined) {
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    connection.destroy();
  }, CONNECT_TIMEOUT_MS);
  const abort = () => connection.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  const connack = await connection.answer;
  clearTimeout(timer);
  signal?.removeEventListener("abort", abort);
  return { isTimedOut, connack };
}

/** Passes messages to `subscriptions`, together with whether the connection is still open. */
function receiver(subscriptions: Subscriptions) {
  let connection: Connection;
  let isOpen = true;
  return {
    attach(opened: Connection): void {
      connection = opened;
      void opened.closed.then(() => {
        isOpen = false;
      });
    },
    onMessage(packet: IPublishPacket): void {
      subscriptions.take(
        packet,
        (code) => connection.acknowledge(packet, code),
        () => isOpen,
      );
    },
  };
}

async function subscribe(
  connection: Connection,
  topics: readonly string[],
  subscriptions: Subscriptions,
): Promise<void> {
  const codes = await connection.subscribe(topics);
  for (const [index, topic] of topics.entries()) {
    const code = codes[index] ?? 0x80;
    if (isFailure(code)) subscriptions.refused(topic, code);
  }
}

function sessionOn(connection: Connection, version: MqttVersion, connack: IConnackPacket): Session {
  const closed = connection.closed.then(endOf);
  return {
    version,
    isContinued: connack.sessionPresent,
    receiveMaximum: connack.properties?.receiveMaximum ?? 0xffff,
    closed,
    publish: (message, acknowledged) => connection.publish(message, acknowledged),
    end: async () => {
      connection.end();
      await closed;
    },
  };
}

function endOf({ disconnect, error }: ConnectionEnd): SessionEnd {
  const code = disconnect?.reasonCode;
  if (code === undefined) return { text: error?.message ?? "the connection was closed" };
  const properties = disconnect?.properties;
  return { text: reasonText(code, properties?.reasonString), code, ...referenceOf(properties) };
}

/** Returns the server reference of a CONNACK or DISCONNECT, fit for printing. */
function referenceOf(properties: { serverReference?: string } | undefined): { serverReference?: string } {
  const reference = properties?.serverReference;
  return reference === undefined ? {} : { serverReference: printable(reference) };
}

interface Attempt {
  isTimedOut: boolean;
  connack: IConnackPacket | undefined;
}

/** Returns the error of a connection that was not accepted. */
function failure(address: Address, { reached, error }: ConnectionEnd, { isTimedOut, connack }: Attempt): AgentError {
  const broker = `The broker at ${addressText(address)}`;
  if (connack !== undefined) return refusal(broker, connack);
  const details = error === undefined ? {} : { cause: error };
  if (error !== undefined && isTrustError(error)) {
    const message = `${broker} presents a certificate that ca.pem does not verify: ${error.message}.`;
    return new AgentError("untrusted_server", message, details);
  }
  const why = isTimedOut ? "no answer in time" : (error?.message ?? "it closed the connection");
  if (reached && !isTimedOut) return new AgentError("refused", `${broker} refused the connection: ${why}.`, details);
  return new AgentError("unreachable", `${broker} is unreachable: ${why}.`, details);
}

function refusal(broker: string, { reasonCode, returnCode, properties }: IConnackPacket): AgentError {
  const code = connackReason(reasonCode ?? returnCode ?? 0);
  const details: AgentErrorDetails = { reasonCode: code, ...referenceOf(properties) };
  const why = reasonText(code, properties?.reasonString);
  if (REFERS.has(code)) {
    const where = details.serverReference === undefined ? "" : `, ${details.serverReference}`;
    return new AgentError("use_another_server", `${broker} refers to another server${where}: ${why}.`, details);
  }
  if (BUSY.has(code)) return new AgentError("busy", `${broker} accepts no connection now: ${why}.`, details);
  return new AgentError("refused", `${broker} refused the connection: ${why}.`, details);
}

const aborted = () => new AgentError("closed", "The connection attempt was aborted.");
