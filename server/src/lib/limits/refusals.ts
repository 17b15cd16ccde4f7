import { limitTable } from "./limit.ts";

/** The contents of the refusal journal and of the traces of clients. */
export const refusals = limitTable({
  refusalCharacters: {
    level: "message",
    of: "characters of a refused client's text in the journal",
    value: 256,
    reached: "the rest is cut off",
    fixed: true,
  },
  refusedTopics: {
    level: "session",
    of: "forbidden topics and filters recorded per session, each once",
    value: 20,
    reached: "further refusals are counted in the metric only",
    fixed: true,
  },
  refusalEntries: {
    level: "tenant",
    of: "entries of the refusal journal, none older than 30 days; refusals that concern no tenant have a journal of their own",
    value: 1_000,
    reached: "the oldest are deleted",
  },
  refusalsPerAddress: {
    level: "address",
    of: "journal entries per minute for one tenant, address block and reason",
    value: 20,
    reached: "further refusals add to the count of the last entry",
  },
  refusalAddresses: {
    level: "process",
    of: "addresses whose refusals are counted separately in one minute",
    value: 1_000,
    reached:
      "further addresses share one count per tenant and reason and, beyond the same number of these, one per reason",
    fixed: true,
  },
  refusalsWaiting: {
    level: "process",
    of: "journal entries waiting for the database, which are written five times per second",
    value: 1_000,
    reached: "further ones are dropped, and a log line reports how many",
    fixed: true,
  },
  tracesOfTenant: {
    level: "tenant",
    of: "clients traced at once, each for five minutes",
    value: 5,
    reached: "409 quota_exceeded",
  },
  traceEntriesPerSecond: {
    level: "session",
    of: "recorded entries per second of a traced client",
    value: 20,
    reached: "further ones are counted, and the trace says how many are omitted",
    fixed: true,
  },
  traceEntriesWaiting: {
    level: "process",
    of: "entries of client traces waiting for the database, which are written four times per second",
    value: 1_000,
    reached: "further ones are omitted, as above",
    fixed: true,
  },
  traceEntriesShown: {
    level: "request",
    of: "entries of a client's trace in an answer",
    value: 200,
    reached: "the newest are shown",
    fixed: true,
  },
  refusalLookUps: {
    level: "process",
    of: "concurrent look-ups of the owner of a certificate that TLS did not verify",
    value: 20,
    reached: "further refusals are recorded without a tenant",
    fixed: true,
  },
});
