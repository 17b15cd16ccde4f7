import { limitTable } from "./limit.ts";

/** The error of a use case that would exceed a quota. */
const REFUSED = "409 quota_exceeded, naming the quota and its value";

/** The records that one tenant may have. The quotas are generous: they stop a runaway script, not a large customer. */
export const quotas = limitTable({
  devices: { level: "tenant", of: "devices that are not deleted", value: 1_000_000, reached: REFUSED },
  deviceTypes: { level: "tenant", of: "device types", value: 1_000, reached: REFUSED },
  thresholds: { level: "tenant", of: "threshold packs", value: 1_000, reached: REFUSED },
  rules: { level: "tenant", of: "rules of all threshold packs", value: 10_000, reached: REFUSED },
  groups: { level: "tenant", of: "groups", value: 10_000, reached: REFUSED },
  channels: { level: "tenant", of: "channels of all groups", value: 1_000, reached: REFUSED },
  integrations: { level: "tenant", of: "chat and paging services", value: 200, reached: REFUSED },
  shifts: { level: "tenant", of: "shifts", value: 10_000, reached: REFUSED },
  maintenanceWindows: {
    level: "tenant",
    of: "maintenance windows that have not ended",
    value: 1_000,
    reached: REFUSED,
  },
  users: { level: "tenant", of: "users who are not deleted", value: 10_000, reached: REFUSED },
  apiKeys: { level: "tenant", of: "API keys that are neither revoked nor expired", value: 1_000, reached: REFUSED },
  mqttClients: { level: "tenant", of: "MQTT clients, including disabled ones", value: 1_000, reached: REFUSED },
  openClaims: { level: "tenant", of: "claims that can still be redeemed", value: 20_000, reached: REFUSED },
  ticketsPerMinute: {
    level: "tenant",
    of: "tickets created per minute",
    value: 600,
    reached: "429 rate_limited with Retry-After",
  },
  deliveriesPerMinute: {
    level: "tenant",
    of: "messages about anomalies accepted in one clock minute; the last quarter is reserved for people, not channels. Critical pages to channels are counted separately, up to the same number",
    value: 600,
    reached: "further messages are suppressed, and one e-mail reports how many; critical pages to people are exempt",
  },
});
