import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { NotificationsDeps } from "../deps.ts";
import { countChannels, countSilentGroups, countUnreached } from "./paging-problem-store.ts";

/** The obstacles that keep pages from reaching people. */
export interface PagingProblems {
  /** Whether e-mails can be sent. */
  mailServer: boolean;
  /** The number of open anomalies whose pages reached nobody, at most 1,000. */
  unreached: number;
  /** The number of groups with devices that page nobody, because they have no escalation. */
  silentGroups: number;
  /** The number of the groups' channels whose last attempt failed, and of unconfirmed ones; null for other roles. */
  channels: { failing: number; unconfirmed: number } | null;
}

/** Returns what keeps pages from reaching people, as far as the caller may see it. Only admins see channels. */
export const readPagingProblems = useCase(
  { role: "viewer" },
  async ({ database: { db }, settings }: NotificationsDeps, caller): Promise<PagingProblems> => {
    const { tenantId } = caller;
    const viewer = boundedToGroupsOf(caller);
    const [unreached, silentGroups, channels] = await Promise.all([
      countUnreached(db, tenantId, viewer),
      countSilentGroups(db, tenantId, viewer),
      viewer === undefined ? countChannels(db, tenantId) : null,
    ]);
    return { mailServer: settings.smtp !== undefined, unreached, silentGroups, channels };
  },
);
