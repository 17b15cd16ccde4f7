import type { ReactNode } from "react";
import type { t as en } from "../en/duties.ts";
import type { Value } from "../phrase.ts";
import { phrase } from "../phrase.ts";

/** Die Texte von Vertretungen, Angeboten und eigenen Diensten. */
export const t: typeof en = {
  overrides: "Vertretungen",
  overridesLead: "Für eine Zeit übernimmt jemand den Dienst eines anderen. Die Zeiten der Schichten bleiben.",
  noOverride: "Niemand vertritt einen anderen.",
  onDuty: "Im Dienst",
  insteadOf: "Statt",
  state: "Zustand",
  everybody: "allen im Dienst",
  offered: "angeboten",
  agreed: "vereinbart",
  override: "Vertretung eintragen",
  overrideTitle: (group: Value) => `Vertretung in ${group}`,
  overrideAction: "Eintragen",
  overridden: "Die Vertretung ist eingetragen. Die Betroffenen erfahren es.",
  takes: "Übernimmt den Dienst",
  choosePerson: "Wählen Sie eine Person.",
  begins: "Beginnt",
  emptyIsNow: "Leer: jetzt. In Ihrer eigenen Zeitzone.",
  ends: "Endet",
  inYourZone: "In Ihrer eigenen Zeitzone.",
  enterATime: "Geben Sie eine Zeit ein.",
  end: "Beenden",
  endQuestion: "Diese Vertretung beenden?",
  endText: "Die üblichen Personen sind wieder im Dienst und erfahren es.",
  ended: "Die Vertretung ist beendet.",
  myShifts: "Meine Dienste",
  myLead: "Ihre nächsten zehn Dienste in 28 Tagen, mit Vertretungen.",
  noDuty: "Sie haben in den nächsten 28 Tagen keinen Dienst.",
  offer: "Anbieten",
  offerTitle: (group: Value) => `Ihren Dienst in ${group} anbieten`,
  offerText: "Er bleibt Ihrer, bis jemand zustimmt. Sie erfahren es beide.",
  offerTo: "Anbieten an",
  everyone: "alle der Gruppe",
  isOffered: "Der Dienst ist angeboten.",
  theyOffer: (who: ReactNode, group: ReactNode, from: ReactNode, to: ReactNode) =>
    phrase`${who} bietet einen Dienst in ${group} an: ${from} bis ${to}`,
  youOffer: (group: ReactNode, from: ReactNode, to: ReactNode) =>
    phrase`Sie bieten Ihren Dienst in ${group} an: ${from} bis ${to}`,
  take: "Übernehmen",
  taken: "Der Dienst ist Ihrer.",
  decline: "Ablehnen",
  declined: "Das Angebot ist abgelehnt.",
  withdraw: "Zurückziehen",
  withdrawn: "Das Angebot ist zurückgezogen.",
};
