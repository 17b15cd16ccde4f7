import type { ReactNode } from "react";
import type { Value } from "../../../phrase.ts";
import { phrase } from "../../../phrase.ts";

/** The texts of the rotation of keys. */
export const t = {
  rotateKey: "Rotate",
  rotateTheKey: (name: Value) => `Rotate ${name}`,
  theNewKeyHasTheSame:
    "The new key has the same name, owner and scopes, and lives as long. Give it to the program before the former key ends.",
  theFormerKeyEnds: "The former key ends",
  theFormerKeyEndsAt: (time: ReactNode) => phrase`The former key works until ${time}.`,
  in7Days: "in 7 days",
  in24Hours: "in 24 hours",
  inAnHour: "in an hour",
  immediately: "immediately",
  replaces: "Replaces",
  replacedBy: "Replaced by",
};
