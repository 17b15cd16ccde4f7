import type { Value } from "../phrase.ts";

/** The texts of passkeys. */
export const t = {
  signInWithAPasskey: "Sign in with a passkey",
  useAPasskey: "Use a passkey",
  passkeys: "Passkeys",
  passkey: "Passkey",
  aPasskeyIs:
    "A passkey is kept by your device, your password manager or a security key, which asks for your finger, face or PIN. It signs you in without a password, and is your second factor after one.",
  youHaveNoPasskey: "You have no passkey.",
  addAPasskey: "Add a passkey",
  added: "Added",
  never: "never",
  aNameByWhichYou: "A name by which you know it later.",
  rename: "Rename",
  renameThePasskey: "Rename the passkey",
  removeNamed: (name: Value) => `Remove ${name}?`,
  thePasskeyIsRemoved: "The passkey is removed.",
  otherSessionsEnd:
    "It no longer signs you in, and the other sessions that it began end. Delete it from your device as well.",
  thenYourPasswordAloneSigns: "It is your last second factor: then your password alone signs in.",
  yourTenantRequiresAFactor: "You must have a second factor: add another one before you remove this one.",
  thisBrowserHasNoPasskeys: "This browser has no passkeys for this address.",
  noPasskeyWasUsed: "No passkey was used: it was cancelled, took too long, or there is none for this address.",
  thisAuthenticatorHasOne: "This device or key has a passkey of yours already.",
  thePasskeyIsAccepted: "The passkey is accepted.",
};
