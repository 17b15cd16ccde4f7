import type { ReactNode } from "react";
import type { Value } from "../../../phrase.ts";
import { phrase } from "../../../phrase.ts";

/** The texts of the audit stream. */
export const t = {
  stream: "Stream",
  whereTheAuditsAreSent: "Where every later entry of the audits is sent, at least once and in order.",
  noReceiver: "The audits are not sent anywhere",
  everyLaterEntry: "A log server or SIEM can get every later entry: by syslog, HTTPS or OTLP.",
  setReceiver: "Set receiver",
  changeReceiver: "Change receiver",
  receiver: "Receiver",
  kind: "Protocol",
  syslog: "Syslog over TLS",
  https: "HTTPS, one JSON text per line",
  otlp: "OTLP logs over HTTP",
  delivers: "Delivers",
  hasSentNothingYet: "Has sent nothing yet",
  fails: "Fails",
  lastSent: "Last sent",
  waiting: "Waiting entries",
  theOldest: (ago: ReactNode) => phrase`(the oldest: ${ago})`,
  lastError: "Last error",
  entriesAreMissing: "Entries are missing at the receiver",
  missing: (entries: Value) =>
    `${entries} did not arrive: refused, or taken by no receiver in time. The audits keep every entry.`,
  endStream: "End stream",
  endTheStream: "End the stream?",
  theStreamHasEnded: "The stream has ended.",
  waitingEntriesAreNotSent: "Waiting entries are not sent. The audits keep them.",
  signingSecret: "Signing secret",
  iHaveCopiedIt: "I have copied it",
  caOfTheReceiver: "CA of the receiver (PEM)",
  emptyForPublic: "Empty: a public certificate authority.",
};
