import type { ReactNode } from "react";
import { phrase } from "../phrase.ts";

/** The texts of anomalies that are set aside. */
export const t = {
  snooze: "Snooze",
  snoozeTitle: "Snooze this anomaly",
  snoozeText: "Nobody is paged about it meanwhile. If it is still open at the end, it pages again from the first step.",
  snoozed: "The anomaly is snoozed.",
  mute: "Mute rule",
  muteTitle: "Mute this rule on the device",
  muteText: "Its anomalies are recorded, but page nobody. What is open at the end pages then.",
  muted: "The rule is muted on the device.",
  length: "For",
  minutes15: "15 minutes",
  hour1: "1 hour",
  hours4: "4 hours",
  hours12: "12 hours",
  day1: "1 day",
  days7: "7 days",
  days30: "30 days",
  days365: "365 days",
  snoozedUntil: (at: ReactNode) => phrase`Snoozed until ${at}.`,
  mutedUntil: (at: ReactNode) => phrase`Its rule is muted on the device until ${at}.`,
  end: "End it now",
  ended: "It pages again.",
};
