import type { Value } from "../../phrase.ts";

/** The texts of refusals. */
export const t = {
  unknownClient: "unknown client",
  last: (time: Value) => `${time}, last `,
  whatToDo: "What to do: ",
  whatItsClientNeeds: "What its client needs",
  clientId: "client id",
  serialNumber: "serial number",
  fingerprintOfTheCertificate: "Fingerprint of the certificate",
  reason: "Reason",
  whyCantItConnect: "Why can't it connect?",
  everyClientThatTheBroker:
    "Every client that the broker refused, with the cause and what to do about it. New ones appear by themselves.",
  theBrokerHasRefusedNo: "The broker has refused no client.",
  whatIsSeenAtThe: "What is seen at the device",
  whenTheBrokerHasRecorded:
    "When the broker has recorded nothing, the client did not reach it, or enrollment refused it.",
  aClientWhoseCertificateIs:
    "A client whose certificate is of another authority, or that has none, belongs to no tenant: ",
  refusedClientsOfThePlatform: "refused clients of the platform",
  ifTheDeviceDoesNot:
    "If the device does not connect all the same, it does not reach the broker: check address, port and network.",
  showRefusals: "Show refusals: ",
  reasonCode: "reason",
  fromAddress: "from",
  topic: "topic",
};
