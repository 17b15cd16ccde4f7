import type { t as en } from "../../../en/pages/telemetry/compare.ts";

export const t: typeof en = {
  lead: "Eine Messgröße mehrerer Geräte über dieselbe Zeit. Die Adresse dieser Seite zeigt anderen dieselben Diagramme.",
  view: "Ansicht",
  oneChartEach: "Je ein Diagramm",
  inOneChart: "In einem Diagramm",
  chooseDevices: "Geräte wählen",
  noDeviceChosen: "Kein Gerät ist gewählt",
  devicesBelow: "die unten gewählten Geräte",
  metric: "Messgröße",
  someAreShown: (shown, total) => `Gezeigt: ${shown} von ${total}.`,
  noNumbers: "Keines dieser Geräte hat eine Zahl gesendet",
  metricOf: (metric, name) => `${metric} von ${name}`,
  metricOfAll: (metric) => `${metric} der Geräte`,
  nothingMeasured: "In dieser Zeit wurde nichts gemessen.",
  nothingMeasuredBy: (names) => `In dieser Zeit wurde nichts gemessen von: ${names}`,
  someNotRead: "Einige Geräte konnten nicht gelesen werden.",
};
