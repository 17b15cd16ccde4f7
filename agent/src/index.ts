/**
 * The device side of Muster: enroll with a claim code, connect over mutual TLS, publish, renew. It depends on the HTTPS and MQTT
 * interfaces of the server and on nothing else of it.
 */
export { adviceFor } from "./advice.ts";
export { type AgentEvents, MusterAgent, type MusterAgentOptions, type Payload, type PublishOptions } from "./agent.ts";
export { openSession, type Session } from "./connection/session.ts";
export { makeCsr, makeKey } from "./csr.ts";
export { type EnrollOptions, enroll } from "./enroll.ts";
export { AgentError } from "./errors.ts";
export type { DropReason } from "./outbox/outbox.ts";
export type { QueueLimits } from "./outbox/queue.ts";
export { type RenewOptions, renew } from "./renewal/renew.ts";
export { type CertificateDates, certificateDates } from "./renewal/schedule.ts";
export { type Runtime, systemRuntime } from "./runtime.ts";
export type { DeviceRecord, Identity } from "./state/identity.ts";
export { loadCandidate, loadIdentity } from "./state/state.ts";
