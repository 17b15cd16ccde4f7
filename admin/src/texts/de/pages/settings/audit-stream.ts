import type { t as en } from "../../../en/pages/settings/audit-stream.ts";
import { phrase } from "../../../phrase.ts";

export const t: typeof en = {
  stream: "Strom",
  whereTheAuditsAreSent: "Wohin jeder spätere Eintrag der Audits gesendet wird, mindestens einmal und der Reihe nach.",
  noReceiver: "Die Audits werden nirgendwohin gesendet",
  everyLaterEntry: "Ein Log-Server oder SIEM kann jeden späteren Eintrag bekommen: per Syslog, HTTPS oder OTLP.",
  setReceiver: "Empfänger festlegen",
  changeReceiver: "Empfänger ändern",
  receiver: "Empfänger",
  kind: "Protokoll",
  syslog: "Syslog über TLS",
  https: "HTTPS, ein JSON-Text je Zeile",
  otlp: "OTLP-Logs über HTTP",
  delivers: "Liefert",
  hasSentNothingYet: "Hat noch nichts gesendet",
  fails: "Scheitert",
  lastSent: "Zuletzt gesendet",
  waiting: "Wartende Einträge",
  theOldest: (ago) => phrase`(der älteste: ${ago})`,
  lastError: "Letzter Fehler",
  entriesAreMissing: "Dem Empfänger fehlen Einträge",
  missing: (entries) =>
    `${entries} kamen nicht an: abgewiesen, oder kein Empfänger nahm sie rechtzeitig an. Die Audits behalten alle.`,
  endStream: "Strom beenden",
  endTheStream: "Den Strom beenden?",
  theStreamHasEnded: "Der Strom ist beendet.",
  waitingEntriesAreNotSent: "Wartende Einträge werden nicht gesendet. Die Audits behalten sie.",
  signingSecret: "Geheimnis der Signatur",
  iHaveCopiedIt: "Ich habe es kopiert",
  caOfTheReceiver: "CA des Empfängers (PEM)",
  emptyForPublic: "Leer: eine öffentliche Zertifizierungsstelle.",
};
