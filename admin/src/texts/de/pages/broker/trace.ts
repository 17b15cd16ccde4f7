import type { t as en } from "../../../en/pages/broker/trace.ts";
import { phrase } from "../../../phrase.ts";

export const t: typeof en = {
  live: (client) => `Live: ${client}`,
  lead: "Was der Client sendet, empfängt und was ihm verweigert wird, das Neueste zuerst. Payloads werden nicht aufgezeichnet. Abgewiesene Verbindungen stehen unter „Warum verbindet es sich nicht?“.",
  watch: "Fünf Minuten beobachten",
  watchAgain: "Neu beginnen",
  notWatched: "Der Client wird nicht beobachtet",
  watchedUntil: (time) => phrase`Aufgezeichnet wird bis ${time}.`,
  endedAt: (time) => phrase`Die Aufzeichnung endete um ${time}. Die Einträge werden eine Stunde später gelöscht.`,
  entries: "Was der Client tat",
  nothingYet: "Er hat seitdem nichts gesendet und empfangen",
  bytes: (count) => `${count} Bytes`,
  details: "Einzelheiten",
  disconnected: "Getrennt",
  published: "Gesendet",
  notStored: "Nicht gespeichert",
  publishRefused: "Senden verweigert",
  subscribed: "Abonniert",
  subscribeRefused: "Abonnement verweigert",
  delivered: "An ihn gesendet",
  omitted: "Nicht gezeigt",
  moreInThisSecond: (count) => `${count} weitere innerhalb einer Sekunde`,
};
