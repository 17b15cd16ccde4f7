import type { t as en } from "../../en/pages/sign-in.ts";
import { phrase } from "../../phrase.ts";

export const t: typeof en = {
  enrollADevice: "Gerät registrieren",
  thereIsNoClaimCode: "In dieser Adresse ist kein Claim-Code.",
  scanTheQrCodeThat: "Scannen Sie den QR-Code, den die Seite eines Claims nach dem Erstellen zeigt.",
  runThisOnTheDevice: "Führen Sie dies auf dem Gerät aus, solange der Claim-Code gilt.",
  copyCode: "Code kopieren",
  watchItInTheAdmin: "In der Verwaltung ansehen",
  forgotYourPassword: "Passwort vergessen?",
  withALinkYouChoose: "Mit einem Link wählen Sie ein neues.",
  backToTheSignIn: "Zurück zur Anmeldung",
  lookIntoYourMail: "Sehen Sie in Ihr Postfach",
  ifIsTheAddressOf: (asked, minutes) =>
    phrase`Wenn ${asked} die Adresse eines Benutzers ist, ist ein Link unterwegs. Er gilt einmal, für ${minutes} `,
  minutesIfNoneComesAsk: "Minuten. Wenn keiner kommt, bitten Sie einen Administrator Ihrer Organisation um einen.",
  sendTheLink: "Link senden",
  thisServiceSendsNoMail: "Dieser Dienst sendet keine E-Mails",
  anAdministratorOfYourOrganization:
    "Ein Administrator Ihrer Organisation erstellt den Link: unter Benutzer, bei Ihrem Namen, mit „Passwort zurücksetzen“, und gibt ihn Ihnen.",
  ifYouAreTheOnly: (command) =>
    phrase`Wenn Sie der einzige Administrator sind: Auf der Maschine des Dienstes gibt ${command} `,
  withYourAddressPrintsA: "mit Ihrer Adresse ein neues Passwort aus.",
  join: (tenantName) => `${tenantName} beitreten`,
  acceptTheInvitation: "Einladung annehmen",
  chooseThePasswordOfYour: "Wählen Sie das Passwort Ihres Kontos.",
  signIn: "melden Sie sich an",
  ifYouHaveAnAccount: (link) =>
    phrase`Wenn Sie schon ein Konto haben: ${link}. Wenn der Link abgelaufen ist, erstellt die Person, die Sie eingeladen hat, einen neuen.`,
  youSignInAs: "Sie melden sich an als",
  createAccount: "Konto erstellen",
  repeatThePassword: "Passwort wiederholen",
  chooseANewPassword: "Neues Passwort wählen",
  yourSessionsEndAndYour:
    "Ihre Sitzungen enden, und Ihre API-Schlüssel werden widerrufen: Programme, die sie benutzen, stehen still.",
  setPassword: "Passwort setzen",
  thePasswordIsSetSign: "Das Passwort ist gesetzt. Melden Sie sich damit an.",
  askForAnotherLink: "Weiteren Link anfordern",
  setUpMuster: "Muster einrichten",
  yourOrganizationAndYourOwn: "Ihre Organisation und Ihr eigenes Konto, der erste Administrator.",
  theServiceIsSetUp: "Der Dienst ist eingerichtet",
  signIn2: "Anmelden",
  theLinkIsIncomplete: "Der Link ist unvollständig",
  openTheWholeLinkThat: (mark, command) =>
    phrase`Öffnen Sie den ganzen Link, den der Dienst beim Start erzeugt hat, mit dem Teil nach ${mark}. Auf der Maschine des Dienstes erzeugt ${command} einen neuen.`,
  enterAName: "Geben Sie einen Namen ein.",
  useLowerCaseLettersDigits: "Verwenden Sie Kleinbuchstaben, Ziffern und Bindestriche.",
  setUp: "Einrichten",
  organization: "Organisation",
  shortName: "Kurzname",
  partOfEveryTopicT: (slug) => `Teil jedes Topics: t/${slug}/… Er ändert sich nie.`,
  yourEMailAddress: "Ihre E-Mail-Adresse",
  for: (email) => `Für ${email}.`,
  notSetUpYet: "Noch nicht eingerichtet",
  thisServiceHasNoUsers: "Dieser Dienst hat noch keine Benutzer: Das Einrichten erstellt den ersten.",
  openTheSetUpLink: "Öffnen Sie den Link zum Einrichten",
  theServicePrintedItAt: (command, file) =>
    phrase`Der Dienst hat ihn beim Start ausgegeben, im Terminal von ${command}. Ohne Terminal steht er in der Datei ${file} des Datenordners. Auf der Maschine des Dienstes erzeugt `,
  makesAnother: (command) => phrase`${command} einen neuen.`,
  theSignInTookToo: "Die Anmeldung hat zu lange gedauert. Beginnen Sie von vorn.",
  signInAsAnotherUser: "Als anderer Benutzer anmelden",
};
