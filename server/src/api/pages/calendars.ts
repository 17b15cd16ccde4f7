import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AddressRange } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import type { Notifications } from "../../notifications/notifications.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { admitAddress } from "./admit-address.ts";

const PATH = "/calendar/:file";
const EXTENSION = ".ics";

export interface CalendarsDeps {
  notifications: Pick<Notifications, "readFeed">;
  clock: Clock;
  requestCounts: RequestCounts;
  config: { limits: Limits; trustedProxies: readonly AddressRange[] };
}

/**
 * Serves calendars of duties (RFC 5545) to whoever knows a secret address, since calendar programs cannot sign in. An
 * unknown, ended or lost address is answered alike.
 */
export function serveCalendars({
  notifications,
  clock,
  config: { limits, trustedProxies },
  requestCounts: counts,
}: CalendarsDeps): (app: FastifyInstance) => void {
  const admit = admitAddress({
    ...{ name: "calendar", perMinute: limits.calendarRequests, clock, counts, trustedProxies },
  });
  return (app) => {
    app.get(PATH, async (request: FastifyRequest, reply) => {
      admit(request);
      const { file } = request.params as { file: string };
      const text = file.endsWith(EXTENSION)
        ? await notifications.readFeed(file.slice(0, -EXTENSION.length))
        : undefined;
      // No program or proxy that others share may keep an answer, and no page may learn the address.
      reply.header("cache-control", "private, max-age=300").header("referrer-policy", "no-referrer");
      if (text === undefined)
        return reply.code(404).type("text/plain; charset=utf-8").send("There is no such calendar.\n");
      return reply
        .type("text/calendar; charset=utf-8")
        .header("content-disposition", 'inline; filename="on-call.ics"')
        .send(text);
    });
    refuseOtherMethods(app, PATH, ["GET"]);
  };
}
