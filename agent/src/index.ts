/**
 * The device side of Muster: enroll with a claim code, connect over mutual TLS, publish, renew. Knows nothing of the
 * server but its HTTPS and MQTT interfaces.
 */
export { adviceFor } from "./advice.ts";
export { type AgentEvents, MusterAgent, type MusterAgentOptions, type Payload, type PublishOptions } from "./agent.ts";
export { makeCsr, makeKey } from "./csr.ts";
export { type EnrollOptions, enroll } from "./enroll.ts";
export { AgentError } from "./errors.ts";
export type { DeviceRecord, Identity } from "./identity.ts";
export type { QueueLimits } from "./queue.ts";
export { type RenewOptions, renew } from "./renew.ts";
export { type Runtime, systemRuntime } from "./runtime.ts";
export { type CertificateDates, certificateDates } from "./schedule.ts";
export { openSession, type Session } from "./session.ts";
export type { DropReason } from "./state/outbox.ts";
export { loadCandidate, loadIdentity } from "./state/state.ts";
