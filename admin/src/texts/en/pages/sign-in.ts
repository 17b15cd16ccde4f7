import type { ReactNode } from "react";
import type { Value } from "../../phrase.ts";
import { phrase } from "../../phrase.ts";

/** The texts of sign-in. */
export const t = {
  enrollADevice: "Enroll a device",
  thereIsNoClaimCode: "There is no claim code in this address.",
  scanTheQrCodeThat: "Scan the QR code that the page of a claim shows after it is created.",
  runThisOnTheDevice: "Run this on the device while the claim code is valid.",
  copyCode: "Copy code",
  watchItInTheAdmin: "Watch it in the admin app",
  forgotYourPassword: "Forgot your password?",
  withALinkYouChoose: "With a link you choose a new one.",
  backToTheSignIn: "Back to the sign-in",
  lookIntoYourMail: "Look into your mail",
  ifIsTheAddressOf: (asked: ReactNode, resetLinkMinutes: ReactNode) =>
    phrase`If ${asked} is the address of a user, a link is on its way. It works once, for ${resetLinkMinutes} `,
  minutesIfNoneComesAsk: "minutes. If none comes, ask an administrator of your organization for one.",
  sendTheLink: "Send the link",
  thisServiceSendsNoMail: "This service sends no mail",
  anAdministratorOfYourOrganization:
    "An administrator of your organization makes the link: under Users, at your name, with “Reset password”, and hands it over to you.",
  ifYouAreTheOnly: (code: ReactNode) =>
    phrase`If you are the only administrator: on the machine of the service, ${code} `,
  withYourAddressPrintsA: "with your address prints a new password.",
  join: (tenantName: Value) => `Join ${tenantName}`,
  acceptTheInvitation: "Accept the invitation",
  chooseThePasswordOfYour: "Choose the password of your account.",
  signIn: "sign in",
  ifYouHaveAnAccount: (link: ReactNode) =>
    phrase`If you have an account already: ${link}. If the link has expired, the person who invited you makes another.`,
  youSignInAs: "You sign in as",
  createAccount: "Create account",
  repeatThePassword: "Repeat the password",
  chooseANewPassword: "Choose a new password",
  yourSessionsEndAndYour: "Your sessions end, and your API keys are revoked: programs that use them stop.",
  setPassword: "Set password",
  thePasswordIsSetSign: "The password is set. Sign in with it.",
  askForAnotherLink: "Ask for another link",
  setUpMuster: "Set up Muster",
  yourOrganizationAndYourOwn: "Your organization and your own account, the first administrator.",
  theServiceIsSetUp: "The service is set up",
  signIn2: "Sign in",
  theLinkIsIncomplete: "The link is incomplete",
  openTheWholeLinkThat: (code: ReactNode, code2: ReactNode) =>
    phrase`Open the whole link that the service made at its start, with the part after ${code}. On the machine of the service, ${code2} makes another.`,
  enterAName: "Enter a name.",
  useLowerCaseLettersDigits: "Use lower-case letters, digits and hyphens.",
  setUp: "Set up",
  organization: "Organization",
  shortName: "Short name",
  partOfEveryTopicT: (tenantSlug: Value) => `Part of every topic: t/${tenantSlug}/… It never changes.`,
  yourEMailAddress: "Your e-mail address",
  for: (email: Value) => `For ${email}.`,
  notSetUpYet: "Not set up yet",
  thisServiceHasNoUsers: "This service has no users yet: the set-up makes the first one.",
  openTheSetUpLink: "Open the set-up link",
  theServicePrintedItAt: (code: ReactNode, code2: ReactNode) =>
    phrase`The service printed it at its start, in the terminal of ${code}. Without a terminal, it is in the file ${code2} of the data folder. On the machine of the service, `,
  makesAnother: (code: ReactNode) => phrase`${code} makes another.`,
  theSignInTookToo: "The sign-in took too long. Begin again.",
  signInAsAnotherUser: "Sign in as another user",
};
