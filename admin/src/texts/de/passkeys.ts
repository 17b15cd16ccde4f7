import type { t as en } from "../en/passkeys.ts";

/** The texts of passkeys. */
export const t: typeof en = {
  signInWithAPasskey: "Mit einem Passkey anmelden",
  useAPasskey: "Passkey benutzen",
  passkeys: "Passkeys",
  passkey: "Passkey",
  aPasskeyIs:
    "Ein Passkey liegt auf Ihrem Gerät, in Ihrem Passwortmanager oder auf einem Sicherheitsschlüssel, der nach Finger, Gesicht oder PIN fragt. Er meldet Sie ohne Passwort an und ist nach einem Passwort Ihr zweiter Faktor.",
  youHaveNoPasskey: "Sie haben keinen Passkey.",
  addAPasskey: "Passkey hinzufügen",
  added: "Hinzugefügt",
  never: "nie",
  aNameByWhichYou: "Ein Name, an dem Sie ihn später erkennen.",
  rename: "Umbenennen",
  renameThePasskey: "Passkey umbenennen",
  removeNamed: (name) => `${name} entfernen?`,
  thePasskeyIsRemoved: "Der Passkey ist entfernt.",
  otherSessionsEnd:
    "Er meldet Sie nicht mehr an, und andere Sitzungen, die er begonnen hat, enden. Löschen Sie ihn auch auf Ihrem Gerät.",
  thenYourPasswordAloneSigns: "Er ist Ihr letzter zweiter Faktor: Dann genügt Ihr Passwort zum Anmelden.",
  yourTenantRequiresAFactor:
    "Sie müssen einen zweiten Faktor haben: Fügen Sie einen anderen hinzu, bevor Sie diesen entfernen.",
  thisBrowserHasNoPasskeys: "Dieser Browser hat keine Passkeys für diese Adresse.",
  noPasskeyWasUsed:
    "Es wurde kein Passkey benutzt: Es wurde abgebrochen, dauerte zu lange, oder es gibt keinen für diese Adresse.",
  thisAuthenticatorHasOne: "Dieses Gerät oder dieser Schlüssel hat schon einen Passkey von Ihnen.",
  thePasskeyIsAccepted: "Der Passkey ist angenommen.",
};
