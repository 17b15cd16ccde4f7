import nodemailer from "nodemailer";
import { SECOND } from "../../lib/clock.ts";
import type { ClaimedRow } from "../delivery/delivery-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import { mailText } from "./mail-text.ts";

/** How many connections to the mail server there are at most. */
export const MAIL_CONNECTIONS = 4;

export interface Mailer {
  send(delivery: ClaimedRow): Promise<Outcome>;
  close(): void;
}

/** Mail over the configured server; `undefined` without one. */
export function createMailer({ settings, clock, baseUrl }: NotificationsDeps): Mailer | undefined {
  const { smtp } = settings;
  if (!smtp) return undefined;
  const transport = nodemailer.createTransport({
    url: smtp.url.reveal(),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    connectionTimeout: 5 * SECOND,
    greetingTimeout: 5 * SECOND,
    socketTimeout: 20 * SECOND,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send(delivery) {
      const { subject, text } = mailText(delivery.payload, baseUrl());
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
        return failed(error, judge(error as MailError));
      }
    },
    close: () => transport.close(),
  };
}

interface MailError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  syscall?: string;
  timeoutType?: string;
}

/** What fails before a message is handed over. */
const BEFORE_MESSAGE = ["EDNS", "ETLS", "EPROTOCOL", "EAUTH", "EENVELOPE"];

/**
 * A server that said no has not taken it; one that says 5xx of the recipient or the message never will (RFC 5321 4.2.1), while 5xx of
 * the sender is about how the two are set up. One that broke off or fell silent may have taken it: nodemailer says of that, whenever
 * it happens, what it says of a connection.
 */
function judge({ code = "", command, responseCode, syscall, timeoutType }: MailError) {
  const refused = responseCode !== undefined;
  const ofMessage = (code === "EENVELOPE" && command !== "MAIL FROM") || code === "EMESSAGE";
  const notConnected = syscall === "connect" || (timeoutType !== undefined && timeoutType !== "SOCKET_TIMEOUT");
  return {
    final: ofMessage && refused && responseCode >= 500,
    maybeSent: !refused && !notConnected && !BEFORE_MESSAGE.includes(code),
  };
}
