import type { NotificationsDeps } from "../deps.ts";
import { mailTransport } from "./send-mail.ts";

/**
 * Sends one mail immediately, outside the queue, because a one-time link loses its value while it waits.
 *
 * @throws Error if there is no mail server, or it does not accept the mail
 */
export async function sendPlainMail(
  { settings, clock }: Pick<NotificationsDeps, "settings" | "clock">,
  { to, subject, text }: { to: string; subject: string; text: string },
): Promise<void> {
  const { smtp } = settings;
  if (!smtp) throw new Error("no mail server is configured");
  const transport = mailTransport(smtp, 1);
  try {
    await transport.sendMail({
      from: smtp.from,
      to: { name: "", address: to },
      subject,
      text,
      date: clock.now(),
      headers: { "Auto-Submitted": "auto-generated" },
    });
  } finally {
    transport.close();
  }
}
