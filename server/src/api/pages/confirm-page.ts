import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AddressRange } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import type { ConfirmationLink, Notifications } from "../../notifications/notifications.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { admitAddress } from "./admit-address.ts";
import { type Html, html } from "./html.ts";

/** The policy of the other pages, except that the form may be sent to this service. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const PATH = "/confirm/:token";
/** The maximum size of the form, which a browser sends empty. */
const MOST_BODY_BYTES = 1_024;

/** The dependencies of the page. */
export interface ConfirmPageDeps {
  notifications: Pick<Notifications, "findConfirmation" | "confirmChannel">;
  clock: Clock;
  requestCounts: RequestCounts;
  config: { limits: Limits; trustedProxies: readonly AddressRange[] };
}

/**
 * Serves the page behind the link with which the receiver of a channel confirms it. Opening it changes nothing, since
 * programs that check mails open links; the button sends a POST, which confirms, and may be repeated.
 */
export function serveConfirmPage({
  notifications,
  clock,
  config,
  requestCounts: counts,
}: ConfirmPageDeps): (app: FastifyInstance) => void {
  const { limits, trustedProxies } = config;
  const admit = admitAddress({
    ...{ name: "confirm", perMinute: limits.confirmPageRequests, clock, counts, trustedProxies },
  });
  const tokenOf = ({ params }: FastifyRequest) => (params as { token: string }).token;
  return (app) => {
    void app.register(async (pages) => {
      pages.removeAllContentTypeParsers();
      pages.addContentTypeParser("*", { parseAs: "string", bodyLimit: MOST_BODY_BYTES }, (_request, _body, done) =>
        done(null),
      );
      pages.get(PATH, async (request, reply) => {
        admit(request);
        return send(reply, await notifications.findConfirmation(tokenOf(request)));
      });
      pages.post(PATH, async (request, reply) => {
        admit(request);
        return send(reply, await notifications.confirmChannel(tokenOf(request)));
      });
      refuseOtherMethods(pages, PATH, ["GET", "POST"]);
    });
  };
}

const STATUS = { open: 200, confirmed: 200, expired: 410 } as const;

function send(reply: FastifyReply, link: ConfirmationLink | undefined): FastifyReply {
  return reply
    .code(link ? STATUS[link.state] : 404)
    .header("cache-control", "no-store")
    .header("content-security-policy", POLICY)
    .type("text/html; charset=utf-8")
    .send(String(page(link)));
}

function page(link: ConfirmationLink | undefined): Html {
  const { title, main } = content(link);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Muster</title>
<link rel="stylesheet" href="/docs/api/style.css">
<link rel="icon" type="image/svg+xml" href="/docs/api/icon.svg">
</head>
<body>
<main class="home">
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`;
}

function content(link: ConfirmationLink | undefined): { title: string; main: Html } {
  if (!link)
    return {
      title: "Unknown link",
      main: html`<p>This link is not valid, or a later one has replaced it. Open the newest one.</p>`,
    };
  const { tenantName, address, type, state } = link;
  const where = html`<strong>${address}</strong> (${type === "email" ? "e-mail" : "webhook"})`;
  if (state === "confirmed")
    return { title: "Confirmed", main: html`<p>Notifications of ${tenantName} are sent to ${where}.</p>` };
  if (state === "expired")
    return {
      title: "The link has expired",
      main: html`<p>Notifications of ${tenantName} are not sent to ${where}. The person who added the address can request another link.</p>`,
    };
  return {
    title: "Confirm notifications",
    main: html`<p>${tenantName} wants to send notifications to ${where}.</p>
<form method="post"><button type="submit">Confirm</button></form>
<p>If you do not expect this, close the page: without your confirmation nothing is sent.</p>`,
  };
}
