import { limitTable } from "./limit.ts";

/** Notifications: what one tenant or target may cost delivery. */
export const notifications = limitTable({
  deliveriesPerMinute: {
    level: "tenant",
    of: "messages (e-mails and webhook calls) a minute",
    value: 600,
    reached: "one message says how many were suppressed; critical pages to people are exempt",
  },
  webhookSlotsPerTenant: {
    level: "tenant",
    of: "webhook calls in flight, of all targets",
    value: 4,
    reached: "further calls of the tenant wait; other tenants do not",
  },
  webhookSlotsPerTarget: {
    level: "tenant",
    of: "webhook calls in flight to one target",
    value: 2,
    reached: "further calls to the target wait",
  },
});
