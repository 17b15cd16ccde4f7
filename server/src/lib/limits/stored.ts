import { limitTable } from "./limit.ts";

/** What waits in the database for clients that are not connected: commands for devices, and stored sessions. */
export const stored = limitTable({
  commandBytes: {
    level: "message",
    of: "bytes of the payload of a command for a device",
    value: 64 * 1024,
    reached: "400 invalid_request, naming the limit",
  },
  commandMinutes: {
    level: "message",
    of: "minutes that a command waits for its device",
    value: 7 * 24 * 60,
    reached: "400 invalid_request, naming the limit; a command that has waited for as long as it may is deleted",
  },
  commandsOfDevice: {
    level: "device",
    of: "commands that wait for a device",
    value: 100,
    reached: "409 quota_exceeded, until the device has acknowledged some, or they are cancelled or expire",
  },
  storedMessages: {
    level: "session",
    of: "messages that wait in a stored session for a client that is not connected",
    value: 100,
    reached: "the newest are not stored, and counted",
  },
  storedBytes: {
    level: "session",
    of: "bytes of these messages with their topics, and 256 bytes for each",
    value: 512 * 1024,
    reached: "the newest are not stored, and counted",
  },
  sessionExpirySeconds: {
    level: "session",
    of: "seconds that a session is stored after its connection has ended; of MQTT 3.1.1 always so many",
    value: 7 * 24 * 3_600,
    reached: "the CONNACK of MQTT 5 has this as session expiry interval",
  },
  commandsInFlight: {
    level: "session",
    of: "commands that a device has been sent and has not acknowledged",
    value: 20,
    reached: "further ones are sent as it acknowledges them",
    fixed: true,
  },
  storedSessions: {
    level: "tenant",
    of: "stored sessions; each process counts them at most once a second",
    value: 100_000,
    reached: "a further session ends with its connection (CONNACK: session expiry interval 0)",
  },
  storedBytesPerTenant: {
    level: "tenant",
    of: "bytes of messages that wait in stored sessions; each process counts them at most once a second",
    value: 64 * 1024 * 1024,
    reached: "the newest are not stored, and counted",
  },
});
