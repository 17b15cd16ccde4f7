import { isIP } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import mqtt, { type MqttClient } from "mqtt";
import { AgentError } from "../errors.ts";
import { isTrustError } from "../http.ts";
import type { Identity } from "../state/identity.ts";

/** One accepted MQTT connection. It does not reconnect. */
export interface Session {
  /**
   * Sends at QoS 1 and calls `acknowledged` on the PUBACK, which may never come once the session has ended: see `closed`.
   */
  publish(topic: string, payload: Buffer, retain: boolean, acknowledged: () => void): void;
  /** Resolves with the reason when the connection has ended, on either side. */
  readonly closed: Promise<string>;
  /** DISCONNECT and close. */
  end(): Promise<void>;
}

const DEFAULT_PORT = 8883;
const KEEPALIVE_SECONDS = 60;
const CONNECT_TIMEOUT_MS = 30_000;
/** How long the broker may take to close the connection after the DISCONNECT. */
const GOODBYE_MS = 5_000;

/**
 * Connects with the identity's certificate, full chain and exact client id (spec 4.10): MQTT 3.1.1, clean session.
 * Clean, because the agent subscribes to nothing and has its own queue: a stored session would contain only messages that the agent
 * sends again anyway.
 *
 * @throws AgentError `unreachable` (no route, no answer), `untrusted_server` (the broker's certificate), `refused`
 *   (closed, or a CONNACK other than 0, after TCP was up: revoked, expired, other client id), `closed` (aborted)
 */
export function openSession(identity: Identity, signal?: AbortSignal): Promise<Session> {
  return new Promise((resolve, reject) => {
    const progress: Progress = { reached: false };
    const client = start(identity, progress);
    let session: Session | undefined;
    let ended = false;

    const fail = (error: AgentError) => {
      if (ended) return;
      ended = true;
      client.end(true);
      client.stream.destroy();
      reject(error);
    };
    const abort = () => fail(new AgentError("closed", "The connection attempt was aborted."));
    const timer = setTimeout(() => fail(failure(identity, { ...progress, timedOut: true })), CONNECT_TIMEOUT_MS);
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const { promise: closed, resolve: close } = Promise.withResolvers<string>();

    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    client.on("error", (error) => {
      progress.error ??= error;
    });
    client.on("connect", () => {
      if (ended) return;
      settle();
      session = sessionOn(client, closed);
      resolve(session);
    });
    client.on("close", () => {
      settle();
      if (session === undefined) return fail(failure(identity, progress));
      client.end(true);
      close(progress.error?.message ?? "the connection was closed");
    });
  });
}

interface Progress {
  /** TCP has connected, so something answers at the address. */
  reached: boolean;
  timedOut?: boolean;
  error?: Error;
}

function start(identity: Identity, progress: Progress): MqttClient {
  const { host, port } = brokerAddress(identity);
  const openSocket = (): TLSSocket => {
    const socket = connectTls(tlsOptions(identity, host, port));
    socket.once("connect", () => {
      progress.reached = true;
    });
    socket.on("error", (error) => {
      progress.error ??= error;
    });
    return socket;
  };
  return new mqtt.MqttClient(openSocket, {
    protocol: "mqtts",
    protocolId: "MQTT",
    protocolVersion: 4,
    clientId: identity.device.deviceId,
    clean: true,
    keepalive: KEEPALIVE_SECONDS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
  });
}

function tlsOptions(identity: Identity, host: string, port: number): ConnectionOptions {
  const options: ConnectionOptions = {
    host,
    port,
    cert: identity.fullchainPem,
    key: identity.keyPem,
    ca: identity.caPem,
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
  };
  if (isIP(host) === 0) options.servername = host;
  return options;
}

/** Host and port of `brokerUrl`, `mqtts://host[:port]`. @throws AgentError `bad_response` */
function brokerAddress(identity: Identity): { host: string; port: number } {
  const { brokerUrl } = identity.device;
  const url = URL.canParse(brokerUrl) ? new URL(brokerUrl) : undefined;
  if (url === undefined || !["mqtts:", "ssl:", "tls:"].includes(url.protocol)) {
    throw new AgentError("bad_response", `The broker's address is not an mqtts:// one: ${brokerUrl}`);
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? DEFAULT_PORT : Number(url.port) };
}

function sessionOn(client: MqttClient, closed: Promise<string>): Session {
  return {
    closed,
    publish: (topic, payload, retain, acknowledged) => {
      client.publish(topic, payload, { qos: 1, retain }, (error) => {
        if (!error) acknowledged();
      });
    },
    end: async () => {
      // mqtt.js would wait without limit for outstanding publishes; `true` ends without them.
      const inFlight = Object.keys(client.outgoing).length > 0;
      const timer = setTimeout(() => client.stream.destroy(), GOODBYE_MS);
      client.end(inFlight);
      await closed;
      clearTimeout(timer);
    },
  };
}

function failure(identity: Identity, progress: Progress): AgentError {
  const { brokerUrl } = identity.device;
  const { error } = progress;
  if (error !== undefined && isTrustError(error)) {
    const message = `The broker at ${brokerUrl} presents a certificate that ca.pem does not verify: ${error.message}.`;
    return new AgentError("untrusted_server", message, { cause: error });
  }
  const why = progress.timedOut ? "no answer in time" : (error?.message ?? "it closed the connection");
  const details = error === undefined ? {} : { cause: error };
  if (progress.reached && !progress.timedOut) {
    return new AgentError("refused", `The broker at ${brokerUrl} refused the connection: ${why}.`, details);
  }
  return new AgentError("unreachable", `The broker at ${brokerUrl} is unreachable: ${why}.`, details);
}
