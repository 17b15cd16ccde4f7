import { limitTable } from "./limit.ts";

/** What the journal of refusals contains. */
export const refusals = limitTable({
  refusalCharacters: {
    level: "message",
    of: "characters of a text that a refused client sent, in the journal",
    value: 256,
    reached: "the rest is left out",
    fixed: true,
  },
  refusedTopics: {
    level: "session",
    of: "forbidden topics and filters that are recorded of one session, each once",
    value: 20,
    reached: "further refusals are counted in the metric only",
    fixed: true,
  },
  refusalEntries: {
    level: "tenant",
    of: "entries of the refusal journal, none older than 30 days; refusals that concern no tenant are one journal more",
    value: 1_000,
    reached: "the oldest are deleted",
  },
  refusalsPerAddress: {
    level: "address",
    of: "journal entries a minute for one tenant, address block and reason",
    value: 20,
    reached: "further refusals add to the count of the last entry",
  },
  refusalAddresses: {
    level: "process",
    of: "addresses whose refusals are counted apart in a minute",
    value: 1_000,
    reached: "further addresses share one count a tenant and reason, and beyond as many of these one a reason",
    fixed: true,
  },
  refusalsWaiting: {
    level: "process",
    of: "journal entries that wait for the database, written five times a second",
    value: 1_000,
    reached: "further ones are dropped, and a log line says how many",
    fixed: true,
  },
  refusalLookUps: {
    level: "process",
    of: "look-ups at once of whose certificate TLS did not verify",
    value: 20,
    reached: "further refusals are recorded without a tenant",
    fixed: true,
  },
});
