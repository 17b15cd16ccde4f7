import type { ReactNode } from "react";
import { phrase } from "../../../phrase.ts";

/** The texts of a client's trace. */
export const t = {
  live: (client: string) => `Live: ${client}`,
  lead: (refusals: ReactNode) =>
    phrase`What the connected client sends, receives and is refused, newest first, without payloads. Refused connections: ${refusals}.`,
  watch: "Watch for five minutes",
  watchAgain: "Start again",
  notWatched: "The client is not being watched",
  watchedUntil: (time: ReactNode) => phrase`Recorded until ${time}.`,
  endedAt: (time: ReactNode) => phrase`Recording ended at ${time}. The entries are deleted an hour later.`,
  entries: "What the client did",
  nothingYet: "It has not connected, sent or received since",
  bytes: (count: string) => `${count} bytes`,
  details: "Details",
  disconnected: "Disconnected",
  published: "Published",
  partlyStored: "Partly stored",
  notStored: "Not stored",
  publishRefused: "Publish refused",
  subscribed: "Subscribed",
  subscribeRefused: "Subscription refused",
  delivered: "Sent to it",
  omitted: "Not shown",
  moreInThisSecond: (count: string) => `${count} more within a second`,
};
