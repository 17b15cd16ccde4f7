import type { t as en } from "../../../en/pages/access/rotation.ts";
import { phrase } from "../../../phrase.ts";

export const t: typeof en = {
  rotateKey: "Rotieren",
  rotateTheKey: (name) => `${name} rotieren`,
  theNewKeyHasTheSame:
    "Der neue Schlüssel hat denselben Namen, Besitzer, dieselben Scopes und dieselbe Laufzeit. Geben Sie ihn dem Programm, bevor der bisherige endet.",
  theFormerKeyEnds: "Der bisherige Schlüssel endet",
  theFormerKeyEndsAt: (time) => phrase`Der bisherige Schlüssel gilt bis ${time}.`,
  in7Days: "in 7 Tagen",
  in24Hours: "in 24 Stunden",
  inAnHour: "in einer Stunde",
  immediately: "sofort",
  replaces: "Ersetzt",
  replacedBy: "Ersetzt durch",
};
