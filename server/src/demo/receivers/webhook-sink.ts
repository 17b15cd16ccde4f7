import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Inbox } from "./inbox.ts";
import type { LoopbackTls } from "./loopback-tls.ts";

/** A POST as received, because the signature covers the exact bytes of its body. */
export interface Hook {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookSink {
  readonly url: string;
  readonly inbox: Inbox<Hook>;
  close(): void;
}

/**
 * Starts a webhook receiver, HTTPS on a loopback port, which collects requests.
 *
 * @param tls its certificate, which the service must trust
 * @param port 0 for a free one
 */
export async function startWebhookSink(tls: LoopbackTls, show: (hook: Hook) => void, port = 0): Promise<WebhookSink> {
  const inbox = new Inbox(show);
  const server = createServer(tls, (request, response) => {
    text(request).then(
      (body) => {
        inbox.add({ headers: request.headers, body });
        const challenge = challengeOf(body);
        if (challenge === undefined) response.writeHead(204).end();
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ challenge }));
      },
      () => undefined,
    );
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/pumps`,
    inbox,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the challenge of a `channel.confirmation`: a receiver that wants the messages answers with it. */
function challengeOf(body: string): unknown {
  try {
    const { type, data } = JSON.parse(body);
    return type === "channel.confirmation" ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}
