import type { t as en } from "../../en/pages/claims.ts";
import { phrase } from "../../phrase.ts";

export const t: typeof en = {
  claims: "Claims",
  claim: "Claim",
  claimCode: "Claim-Code",
  qrCodeOfTheClaim: (code) => `QR-Code des Claim-Codes ${code}`,
  opensTheCommandsOnA:
    "Öffnet die Befehle auf einem Telefon. Der Code steht in dem Teil der Adresse, den kein Browser sendet.",
  runThisOnTheDevice: "Führen Sie dies auf dem Gerät aus",
  uses: "Einlösungen",
  of: (used, most) => `${used} von ${most}`,
  createdBy: "Erstellt von",
  lastRedeemed: "Zuletzt eingelöst",
  revokedBy: "Widerrufen von",
  revokeThisClaim: "Diesen Claim widerrufen?",
  revokeClaim: "Claim widerrufen",
  theClaimIsRevoked: "Der Claim ist widerrufen.",
  claim2: (codeHint) => phrase`CLAIM-…-${codeHint}`,
  theCodeIsRefusedFrom: (codeHint) =>
    phrase`Der Code ${codeHint} wird ab jetzt abgelehnt. Geräte, die ihn eingelöst haben, behalten ihre Zertifikate.`,
  noDeviceHasRedeemedIt: "Kein Gerät hat ihn eingelöst.",
  revokeTheCertificatesOfAll: "Zertifikate aller widerrufen",
  whichMayBeRepeated: "diese lassen sich wiederholen",
  theCodeWasRedeemedToo: "Der Code wurde zu spät eingelöst. Erstellen Sie einen weiteren Claim.",
  everyUseIsSpentThe: "Jede Einlösung ist verbraucht: durch die Geräte oben. Erstellen Sie einen weiteren Claim.",
  anAdministratorOrAProgram:
    "Ein Administrator oder ein Programm hat ihn widerrufen. Erstellen Sie einen weiteren Claim, wenn das ein Versehen war.",
  theCodeWasMistypedOr:
    "Der Code wurde falsch eingegeben oder gehört zu einem anderen Dienst. Er hat drei Gruppen zu vier Zeichen.",
  aDeviceWithThisHardware:
    "Ein Gerät mit diesem Hardware-Fingerabdruck hat sich schon registriert. Es muss sein gültiges Zertifikat zeigen; ist es verloren, löschen Sie das Gerät und lassen es sich neu registrieren.",
  tooManyUnknownCodesCame: "Von der Adresse des Geräts kamen zu viele unbekannte Codes. Warten Sie zehn Minuten.",
  whenTheDeviceIsRefused: "Wenn das Gerät abgewiesen wird",
  left: (left) => `, noch ${left}`,
  openOrExpired: "offen oder abgelaufen",
  for: "Für",
  createClaim: "Claim erstellen",
  createAClaim: "Claim erstellen",
  withAClaimCodeA:
    "Mit einem Claim-Code registriert sich ein Gerät selbst: Es erzeugt seinen eigenen Schlüssel und erhält dafür ein Zertifikat.",
  thereIsNoClaimYet: "Es gibt noch keinen Claim.",
  createOneForEachDevice:
    "Erstellen Sie einen je Gerät oder einen mit mehreren Einlösungen für eine Reihe von Geräten.",
  n5Minutes: "5 Minuten",
  n15Minutes: "15 Minuten",
  anHour: "eine Stunde",
  n4Hours: "4 Stunden",
  n8Hours: "8 Stunden",
  aDay: "einen Tag",
  theNameThatItsDevices: "Der Name, den seine Geräte erhalten.",
  feedPump1: "Speisepumpe 1",
  decidesTheTopicsThatIts: "Bestimmt die Topics, auf denen seine Geräte senden dürfen.",
  noTypeItsDevicesPublish: "kein Typ: seine Geräte senden auf keinem Topic",
  howManyDevicesCanEnroll: "Wie viele Geräte sich mit dem Code registrieren können.",
  validFor: "Gültig für",
  itsDevicesJoinThemWithout: "Seine Geräte kommen in diese Gruppen. Ohne Gruppe sehen nur Administratoren die Geräte.",
};
