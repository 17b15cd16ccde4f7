import type { Value } from "../phrase.ts";

export const t = {
  onDuty: "Wer Dienst hat",
  allTogether: "Alle zusammen",
  inTurns: "Abwechselnd",
  everyTurn: "Ein Dienst dauert",
  unit: "Tage oder Wochen",
  weeks: "Wochen",
  days: "Tage",
  handOver: "Übergabe um",
  firstTurn: "Erster Dienst ab",
  turns: "Dienste, der Reihe nach",
  turn: (place: Value) => `Dienst ${place}`,
  alsoInTurn: (place: Value) => `Auch in Dienst ${place}`,
  andAlso: "und auch …",
  earlier: (place: Value) => `Dienst ${place} nach oben`,
  remove: (place: Value) => `Dienst ${place} entfernen`,
  addATurn: "Dienst hinzufügen",
  layer: "Ebene",
  onlyTheHighest:
    "Sind mehrere Schichten einer Gruppe im Dienst, wird nur die höchste Ebene mit einer Person alarmiert.",
  layerOf: (layer: Value) => `Ebene ${layer}`,
  everyDays: (count: number) => (count === 1 ? "täglich wechselnd" : `alle ${count} Tage wechselnd`),
  everyWeeks: (count: number) => (count === 1 ? "wöchentlich wechselnd" : `alle ${count} Wochen wechselnd`),
};
