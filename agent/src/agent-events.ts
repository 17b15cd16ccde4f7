import type { Command } from "./commands.ts";
import type { MqttVersion } from "./connection/reasons.ts";
import type { AgentError } from "./errors.ts";
import type { DropReason } from "./outbox/refusals.ts";

/** Events of a `MusterAgent`. None of them needs a listener. */
export interface AgentEvents {
  connected: [{ deviceId: string; certExpiresAt: Date; mqttVersion: MqttVersion }];
  /** `code` is the MQTT 5 reason code, if the broker sent one. */
  disconnected: [{ reason: string; code?: number }];
  /**
   * The broker refused the connection, `consecutive` times in a row: the certificate is revoked or expired, the device
   * deleted, or the client id wrong.
   */
  refused: [{ error: AgentError; consecutive: number; retryInMs: number }];
  /**
   * The connection failed for another reason: no route, no answer, a busy broker, an untrusted broker, a damaged state
   * folder.
   */
  unreachable: [{ error: AgentError; retryInMs: number }];
  /**
   * An administrator has ended the session, and the broker no longer accepts the device. The agent keeps trying,
   * minutes apart.
   */
  revoked: [{ error: AgentError }];
  /** The broker has referred to this server, to which the next connection attempt goes. */
  referred: [{ server: string }];
  /** The broker does not speak MQTT 5; the agent uses MQTT 3.1.1 from now on. */
  "fell-back": [];
  /** `onCommand` has thrown; the broker does not resend this command. */
  "command-failed": [{ command: Command; error: AgentError }];
  /**
   * The handler is too slow: 1,000 commands, or 8 MiB, are waiting, and further ones are dropped. Reported once until
   * the handler has caught up.
   */
  "commands-dropped": [{ error: AgentError }];
  /** The broker refused the device's subscription to a topic. */
  "not-subscribed": [{ topic: string; error: AgentError }];
  /** A new certificate has connected and replaced the old one. */
  renewed: [{ certExpiresAt: Date; serialNumber: string }];
  "renewal-failed": [{ error: AgentError; final: boolean; retryInMs: number }];
  /** Messages that will not be sent any more; `error` is the broker's answer if it refused one. */
  dropped: [{ count: number; reason: DropReason; error?: AgentError }];
}
