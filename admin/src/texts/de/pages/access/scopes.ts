import type { t as en } from "../../../en/pages/access/scopes.ts";

export const t: typeof en = {
  rightsOfPeopleAndPrograms: "Rechte von Personen und Programmen",
  readTheKeyItself: "Den Schlüssel selbst lesen",
  seesWhenItEnds: "Sieht seinen eigenen Namen, seine Scopes und sein Ende.",
  rotateTheKeyItself: "Den Schlüssel selbst rotieren",
  canLiveOn: "Kann als Nachfolger weiterleben, auch nach einem Widerruf: Widerrufen Sie auch diesen.",
  readUsers: "Benutzer lesen",
  seesUsersAndKeys: "Sieht Benutzer, Einladungen und die Liste der API-Schlüssel, ohne Geheimnisse.",
  changeUsers: "Benutzer einladen und ändern",
  canInviteAndDeactivate: "Kann Operatoren und Betrachter einladen und Benutzer deaktivieren.",
  readAudits: "Audits lesen",
  seesWhoDidWhat: "Sieht, wer was verwaltet hat, und alle Schreibzugriffe mit API-Schlüsseln.",
};
