import type { ReactNode } from "react";
import type { t as en } from "../en/aside.ts";
import { phrase } from "../phrase.ts";

/** Die Texte zurückgestellter Störungen. */
export const t: typeof en = {
  snooze: "Zurückstellen",
  snoozeTitle: "Diese Störung zurückstellen",
  snoozeText: "Niemand wird bis dahin alarmiert. Ist sie am Ende noch offen, alarmiert sie erneut ab der ersten Stufe.",
  snoozed: "Die Störung ist zurückgestellt.",
  mute: "Regel stummschalten",
  muteTitle: "Diese Regel für das Gerät stummschalten",
  muteText: "Ihre Störungen werden aufgezeichnet, alarmieren aber niemanden. Was am Ende offen ist, alarmiert dann.",
  muted: "Die Regel ist für das Gerät stumm.",
  length: "Für",
  minutes15: "15 Minuten",
  hour1: "1 Stunde",
  hours4: "4 Stunden",
  hours12: "12 Stunden",
  day1: "1 Tag",
  days7: "7 Tage",
  days30: "30 Tage",
  days365: "365 Tage",
  snoozedUntil: (at: ReactNode) => phrase`Zurückgestellt bis ${at}.`,
  mutedUntil: (at: ReactNode) => phrase`Ihre Regel ist für das Gerät stumm bis ${at}.`,
  end: "Jetzt beenden",
  ended: "Sie alarmiert wieder.",
};
