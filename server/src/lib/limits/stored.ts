import { limitTable } from "./limit.ts";

/** The backlog in the database for disconnected clients: commands for devices, and stored sessions. */
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
    reached: "400 invalid_request, naming the limit; a command expires at the end of its wait",
  },
  commandsOfDevice: {
    level: "device",
    of: "commands waiting for a device",
    value: 100,
    reached: "409 quota_exceeded, until the device has acknowledged some, or they are cancelled or expire",
  },
  endedCommandsOfDevice: {
    level: "device",
    of: "acknowledged, cancelled and expired commands that are kept, for 7 days",
    value: 100,
    reached: "the oldest are deleted",
    fixed: true,
  },
  devicesOfCommand: {
    level: "request",
    of: "devices to which one request sends a command",
    value: 500,
    reached: "400 invalid_request, naming the limit",
    fixed: true,
  },
  commandBytesOfRequest: {
    level: "request",
    of: "bytes of the payloads of the commands that one request sends, over all devices",
    value: 4 * 1024 * 1024,
    reached: "400 invalid_request, naming the limit",
    fixed: true,
  },
  storedMessages: {
    level: "session",
    of: "messages waiting in a stored session for a disconnected client",
    value: 100,
    reached: "the newest are not stored, but counted",
  },
  storedBytes: {
    level: "session",
    of: "bytes of these messages including their topics, plus 256 bytes for each",
    value: 512 * 1024,
    reached: "the newest are not stored, but counted",
  },
  sessionExpirySeconds: {
    level: "session",
    of: "seconds for which a session is stored after its connection ends; with MQTT 3.1.1, always this long",
    value: 7 * 24 * 3_600,
    reached: "the MQTT 5 CONNACK sets this as the session expiry interval",
  },
  commandsInFlight: {
    level: "session",
    of: "commands sent to a device and not acknowledged by it",
    value: 20,
    reached: "further ones are sent as the device acknowledges",
    fixed: true,
  },
  storedSessions: {
    level: "tenant",
    of: "stored sessions; each process counts them at most once per second",
    value: 100_000,
    reached: "a further session ends with its connection (CONNACK: session expiry interval 0)",
  },
  storedBytesPerTenant: {
    level: "tenant",
    of: "bytes of messages waiting in stored sessions; each process counts them at most once per second",
    value: 64 * 1024 * 1024,
    reached: "the newest are not stored, but counted",
  },
});
