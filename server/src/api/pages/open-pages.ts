import type { FastifyInstance } from "fastify";
import { type CalendarsDeps, serveCalendars } from "./calendars.ts";
import { type ConfirmPageDeps, serveConfirmPage } from "./confirm-page.ts";

/** Serves what people and programs open by a secret link, without signing in. */
export function serveOpenPages(deps: ConfirmPageDeps & CalendarsDeps): (app: FastifyInstance) => void {
  const pages = [serveConfirmPage(deps), serveCalendars(deps)];
  return (app) => {
    for (const serve of pages) serve(app);
  };
}
