/**
 * The device side of Muster: enroll with a claim code, connect over mutual TLS, publish, renew. It depends only on the
 * server's HTTPS and MQTT interfaces.
 */
export { adviceFor } from "./advice.ts";
export { MusterAgent, type MusterAgentOptions, type Payload, type PublishOptions } from "./agent.ts";
export type { AgentEvents } from "./agent-events.ts";
export type { Command, CommandHandler } from "./commands.ts";
export type { MqttVersion } from "./connection/reasons.ts";
export { openSession, type Session, type SessionEnd, type SessionOptions } from "./connection/session.ts";
export { makeCsr, makeKey } from "./csr.ts";
export { type EnrollOptions, enroll } from "./enroll.ts";
export { AgentError } from "./errors.ts";
export type { QueueLimits } from "./outbox/queue.ts";
export type { DropReason } from "./outbox/refusals.ts";
export { type RenewOptions, renew } from "./renewal/renew.ts";
export { type CertificateDates, certificateDates } from "./renewal/schedule.ts";
export { type Runtime, systemRuntime } from "./runtime.ts";
export type { DeviceRecord, Identity } from "./state/identity.ts";
export { loadCandidate, loadIdentity } from "./state/state.ts";
