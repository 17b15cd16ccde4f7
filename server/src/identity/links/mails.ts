import { nameInMail } from "../../lib/mail/name-in-mail.ts";
import type { IdentityDeps } from "../deps.ts";
import type { NewLink } from "./links.ts";

/**
 * Sends the mail in the background, so that the response does not depend on the mail server. Does nothing without a
 * mail server.
 */
export function sendSoon(
  { mail, logger }: Pick<IdentityDeps, "mail" | "logger">,
  message: { to: string; subject: string; text: string },
): void {
  if (!mail.configured) return;
  mail.send(message).catch((error: Error) => {
    logger.warn({ err: error.message, subject: message.subject }, "could not send a mail with a link");
  });
}

/** The subject, which names no tenant: the recipient may have no relation to the one that invites. */
const INVITE_SUBJECT = "Invitation to Muster";
const UNEXPECTED = "If you do not expect this invitation, ignore it.";

export function inviteMail(to: string, tenantName: string, { url, expiresAt }: NewLink) {
  const lines = [
    `An administrator of "${nameInMail(tenantName)}" invites you to Muster.`,
    "",
    "Choose a password here:",
    url,
    "",
    `The link works once, until ${time(expiresAt)}.`,
    UNEXPECTED,
  ];
  return { to, subject: INVITE_SUBJECT, text: textOf(lines) };
}

/** Returns the mail to a user who was invited by an administrator, of any tenant, unaware of the existing account. */
export function takenMail({ baseUrl }: Pick<IdentityDeps, "baseUrl">, to: string, tenantName: string) {
  const lines = [
    `An administrator of "${nameInMail(tenantName)}" invites you to Muster.`,
    "Your address has an account here already, so this invitation cannot be accepted with it.",
    "",
    "If the account belongs to this organization, sign in:",
    baseUrl(),
    "",
    "To join another organization, ask its administrator to invite a different address of yours.",
    UNEXPECTED,
  ];
  return { to, subject: INVITE_SUBJECT, text: textOf(lines) };
}

function textOf(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}

export function resetMail(to: string, { url, expiresAt }: NewLink) {
  return {
    to,
    subject: "Reset your Muster password",
    text: `Choose a new password here:\n${url}\n\nThe link works once, until ${time(expiresAt)}. If you did not ask for it, do nothing: your password stays.\n`,
  };
}

function time(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
