import type { IdentityDeps } from "../deps.ts";
import type { NewLink } from "./links.ts";

/** Sends the mail after the answer: it does not depend on the mail server. Without a mail server nothing is sent. */
export function sendSoon(
  { mail, logger }: Pick<IdentityDeps, "mail" | "logger">,
  message: { to: string; subject: string; text: string },
): void {
  if (!mail.configured) return;
  mail.send(message).catch((error: Error) => {
    logger.warn({ err: error.message, subject: message.subject }, "a mail with a link could not be sent");
  });
}

export function inviteMail(to: string, tenantName: string, { url, expiresAt }: NewLink) {
  return {
    to,
    subject: `Invitation to ${tenantName} on Muster`,
    text: `You are invited to ${tenantName} on Muster.\n\nChoose a password here:\n${url}\n\nThe link works once, until ${time(expiresAt)}.\n`,
  };
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
