import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { createLoopbackTls } from "./loopback-tls.ts";
import { type MailSink, startMailSink } from "./mail-sink.ts";
import { startWebhookSink, type WebhookSink } from "./webhook-sink.ts";

/** The receivers of the service's messages: a mail server and a webhook receiver, both on this machine. */
export interface Sinks {
  mail: MailSink;
  webhook: WebhookSink;
  /** The environment with which the service sends to them. */
  env: Record<string, string>;
  close(): void;
}

/** Starts both receivers. @param show called with a line for every message */
export async function startSinks(folder: string, show: (line: string) => void): Promise<Sinks> {
  const mail = await startMailSink(({ to, subject }) => show(`    mail to ${to.join(", ")}: ${subject}`));
  const tls = createLoopbackTls(systemClock.now());
  const webhook = await startWebhookSink(tls, ({ body }) => {
    const { type, data } = JSON.parse(body);
    show(`    webhook: ${type}: ${data.device ? `${data.device.name}: ${data.anomaly.message}` : data.group?.name}`);
  });
  const authorities = join(folder, "webhook-ca.pem");
  await writeFile(authorities, tls.cert);
  return {
    mail,
    webhook,
    env: {
      MUSTER_SMTP_URL: mail.url,
      MUSTER_MAIL_FROM: "Muster <muster@demo.example>",
      MUSTER_WEBHOOK_ALLOW_PRIVATE: "true",
      NODE_EXTRA_CA_CERTS: authorities,
    },
    close() {
      mail.close();
      webhook.close();
    },
  };
}
