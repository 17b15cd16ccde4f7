import type { t as en } from "../../en/pages/refusals.ts";

export const t: typeof en = {
  unknownClient: "unbekannter Client",
  last: (times) => `${times}, zuletzt `,
  whatToDo: "Was zu tun ist: ",
  whatItsClientNeeds: "Was sein Client braucht",
  clientId: "Client-ID",
  serialNumber: "Seriennummer",
  fingerprintOfTheCertificate: "Fingerabdruck des Zertifikats",
  reason: "Grund",
  whyCantItConnect: "Warum verbindet es sich nicht?",
  everyClientThatTheBroker:
    "Jeder Client, den der Broker abgewiesen hat, mit der Ursache und dem, was zu tun ist. Neue erscheinen von selbst.",
  theBrokerHasRefusedNo: "Der Broker hat keinen Client abgewiesen.",
  whatIsSeenAtThe: "Was am Gerät zu sehen ist",
  whenTheBrokerHasRecorded:
    "Wenn der Broker nichts aufgezeichnet hat, hat der Client ihn nicht erreicht, oder die Registrierung hat ihn abgewiesen.",
  aClientWhoseCertificateIs:
    "Ein Client, dessen Zertifikat von einer anderen CA stammt oder der keines hat, gehört zu keinem Mandanten: ",
  refusedClientsOfThePlatform: "abgewiesene Clients der Plattform",
  ifTheDeviceDoesNot:
    "Wenn sich das Gerät trotzdem nicht verbindet, erreicht es den Broker nicht: Prüfen Sie Adresse, Port und Netz.",
  showRefusals: "Abweisungen zeigen: ",
  reasonCode: "Grund",
  fromAddress: "von",
  topic: "Topic",
};
