import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Inbox } from "./inbox.ts";
import { selfSigned } from "./self-signed.ts";

/** A POST as it arrived: the signature covers the very bytes of its body. */
export interface Hook {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookSink {
  readonly url: string;
  /** PEM that the service must trust. */
  readonly certificate: string;
  readonly inbox: Inbox<Hook>;
  close(): void;
}

/** The receiving end of a webhook: HTTPS on a free loopback port, which keeps what it is sent. */
export async function startWebhookSink(now: Date, show: (hook: Hook) => void): Promise<WebhookSink> {
  const inbox = new Inbox(show);
  const tls = selfSigned(now);
  const server = createServer(tls, (request, response) => {
    text(request).then(
      (body) => {
        inbox.put({ headers: request.headers, body });
        response.writeHead(204).end();
      },
      () => undefined,
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/pumps`,
    certificate: tls.cert,
    inbox,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
