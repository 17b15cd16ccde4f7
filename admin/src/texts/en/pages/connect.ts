import type { ReactNode } from "react";
import type { Value } from "../../phrase.ts";
import { phrase } from "../../phrase.ts";

/** The texts of connect. */
export const t = {
  theDeviceMakesItsOwn:
    "The device makes its own key, which never leaves it, and redeems a claim code for a certificate.",
  whatConnects: (intendedName: Value) => `What connects: ${intendedName}`,
  whatConnects2: "What connects",
  runThisOnTheDevice: "Run this on the device",
  pasteItIntoATerminal:
    "Paste it into a terminal of the device. This page goes on by itself when the device redeems the code.",
  connectAnotherDevice: "Connect another device",
  itConnects: "It connects",
  waitingForItsFirstMessage: "Waiting for its first message",
  itIsConnected: "It is connected",
  continue: "Continue",
  feedPump1: "Feed pump 1",
  decidesTheTopicsThatThe: "Decides the topics that the device may publish on.",
  aNewTypeThatPublishes: (publishTopics: Value) => `A new type that publishes on ${publishTopics}`,
  redeemedTheCode: (name: Value) => `${name} redeemed the code`,
  itHadEnrolledBeforeSo: (id: ReactNode) =>
    phrase`It had enrolled before, so it kept its device id ${id} and its name, and has a new certificate. For another device, use another folder or another machine.`,
  theDeviceHasNotConnected: "The device has not connected yet.",
  theDeviceIsConnectedAnd: "The device is connected and has published nothing yet.",
  offlineSince: (ago: ReactNode) => phrase`Offline since ${ago}`,
  hasConnected: (name: Value) => `${name} has connected`,
  theCommandHasEndedSo: "The command has ended, so the device is offline until its own client connects.",
  latestReading: (metric: ReactNode, strong: ReactNode, ago: ReactNode) =>
    phrase`Latest reading: ${metric} ${strong}, ${ago}.`,
  watchItsTelemetry: "Watch its telemetry",
  theBrokerRefusedTheDevice: "The broker refused the device",
  theTopic: (topic: ReactNode) => phrase`The topic: ${topic}`,
  connectTheDevice: "Connect the device",
  everythingThatItsClientNeeds: "Everything that its client needs, and what the broker sees of it.",
  whatTheBrokerSees: "What the broker sees",
  theDeviceHasNoValid: "The device has no valid certificate",
  issueABundle: "Issue a bundle",
  andInstallItsFilesOn: (link: ReactNode) => phrase`${link}, and install its files on the device.`,
  anAdministratorIssuesABundle: "An administrator issues a bundle for it.",
  connectedWithAClaim: "connected with a claim",
  aDeviceThatCanGenerate: (link: ReactNode) =>
    phrase`A device that can generate its own key is ${link} instead. That adds another device, since this one has no hardware fingerprint.`,
  enrollsWithACode: (link: ReactNode) =>
    phrase`If the device can generate its own key, allow it to enroll with a claim code: ${link}.`,
  toTheDevice: "its page",
  pahoPython: "Paho (Python)",
  musterAgent: "Muster agent",
  host: "Host",
  portMqttOverTls: "Port (MQTT over TLS)",
  clientId: "Client id",
  topic: "Topic",
  itsSettings: "Its settings",
  theExamplesNameItsFiles: "The examples name its files as below.",
  theDeviceMayPublishNowhere: "The device may publish nowhere",
  setItsTypeThenHave:
    "Set its type, then have it renew its certificate: the topics are those of the type at that time.",
  program: "Program",
  shell: "Shell",
  withOpensslCurlAndMosquitto: "With openssl, curl and mosquitto_pub",
  withNode24AndThe: "With Node 24 and the agent's package",
  claimRedeemed: "Claim redeemed",
  theClaimCodeIsValid: (left: Value) => `The claim code is valid for ${left}`,
  theClaimCodeHasExpired: "The claim code has expired",
  wayToEnroll: "Way to enroll",
  theCommandsWork: "The commands work",
  musterPublicHostItsName: "MUSTER_PUBLIC_HOST=<its name>",
  onTheMachineOfThe: (children: ReactNode, part: ReactNode, part2: ReactNode) =>
    phrase`${children} on the machine of the service only, because its address is ${part}. For other machines, start it with ${part2}.`,
};
