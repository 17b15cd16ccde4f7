import type { t as en } from "../../../en/pages/broker/trace.ts";
import { phrase } from "../../../phrase.ts";

export const t: typeof en = {
  live: (client) => `Live: ${client}`,
  lead: (refusals) =>
    phrase`Was der verbundene Client sendet, empfängt und was ihm verweigert wird, das Neueste zuerst, ohne Payloads. Abgewiesene Verbindungen: ${refusals}.`,
  watch: "Fünf Minuten beobachten",
  watchAgain: "Neu beginnen",
  notWatched: "Der Client wird nicht beobachtet",
  watchedUntil: (time) => phrase`Aufgezeichnet wird bis ${time}.`,
  endedAt: (time) => phrase`Die Aufzeichnung endete um ${time}. Die Einträge werden eine Stunde später gelöscht.`,
  entries: "Was der Client tat",
  nothingYet: "Er hat sich seitdem nicht verbunden, nichts gesendet und nichts empfangen",
  bytes: (count) => `${count} Bytes`,
  details: "Einzelheiten",
  disconnected: "Getrennt",
  published: "Gesendet",
  partlyStored: "Teils gespeichert",
  notStored: "Nicht gespeichert",
  publishRefused: "Senden verweigert",
  subscribed: "Abonniert",
  subscribeRefused: "Abonnement verweigert",
  delivered: "An ihn gesendet",
  omitted: "Nicht gezeigt",
  moreInThisSecond: (count) => `${count} weitere innerhalb einer Sekunde`,
};
