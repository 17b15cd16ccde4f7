import nodemailer from "nodemailer";
import { SECOND } from "../../lib/clock.ts";
import { linkOf } from "../channels/confirmation-token.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { Message } from "../message.ts";
import { confirmationText, type MailText, mailText } from "./mail-text.ts";

export interface Mailer {
  send(delivery: ClaimedRow): Promise<Outcome>;
  close(): void;
}

/** Creates a mailer for the configured server, or `undefined` without one. */
export function createMailer(deps: NotificationsDeps): Mailer | undefined {
  const { settings, clock, baseUrl, limits } = deps;
  const { smtp } = settings;
  if (!smtp) return undefined;
  const transport = mailTransport(smtp, limits.mailConnections);

  return {
    async send(delivery) {
      const { subject, text } = textOf(deps, delivery.payload);
      const host = new URL(baseUrl()).hostname;
      const thread = delivery.anomaly_id === null ? {} : { references: `<anomaly.${delivery.anomaly_id}@${host}>` };
      try {
        await transport.sendMail({
          from: smtp.from,
          to: { name: "", address: delivery.target },
          subject,
          text,
          date: clock.now(),
          messageId: `<${delivery.id}@${host}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          ...thread,
        });
        return { sent: true };
      } catch (error) {
        return failed(error, interpret(error as MailError));
      }
    },
    close: () => transport.close(),
  };
}

/** Creates a connection pool for the mail server. */
export function mailTransport({ url }: NonNullable<NotificationsDeps["settings"]["smtp"]>, maxConnections: number) {
  return nodemailer.createTransport({
    url: url.reveal(),
    requireTLS: hasCredentials(url.reveal()),
    pool: true,
    maxConnections,
    connectionTimeout: 5 * SECOND,
    greetingTimeout: 5 * SECOND,
    socketTimeout: 20 * SECOND,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function textOf(deps: NotificationsDeps, message: Message): MailText {
  if (message.type === "channel.confirmation") return confirmationText(message, linkOf(deps, message).url);
  if (message.type === "webhook.test") throw new Error("a webhook test is never sent by mail");
  return mailText(message, deps.baseUrl());
}

/**
 * Checks for credentials, which require TLS, even to this machine. Without STARTTLS the mail fails, whatever the server
 * offers.
 */
function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

interface MailError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  syscall?: string;
  timeoutType?: string;
}

/** Nodemailer's codes for failures before the message is transmitted. */
const BEFORE_MESSAGE = ["EDNS", "ETLS", "EPROTOCOL", "EAUTH", "EENVELOPE"];

/**
 * Interprets an error. A server that replied with an error has not accepted the message. A 5xx to the recipient or the
 * message is final (RFC 5321 4.2.1), while a 5xx to the sender is a matter of configuration. A server that disconnected
 * or stopped answering may have accepted it: nodemailer reports both, at any stage, with the codes of a failed
 * connection.
 */
function interpret({ code = "", command, responseCode, syscall, timeoutType }: MailError) {
  const refused = responseCode !== undefined;
  const ofMessage = (code === "EENVELOPE" && command !== "MAIL FROM") || code === "EMESSAGE";
  const notConnected = syscall === "connect" || (timeoutType !== undefined && timeoutType !== "SOCKET_TIMEOUT");
  return {
    final: ofMessage && refused && responseCode >= 500,
    maybeSent: !refused && !notConnected && !BEFORE_MESSAGE.includes(code),
  };
}
