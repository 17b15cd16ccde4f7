import { t } from "#texts/pages/needs-you.ts";
import type { Schemas } from "../../api/client.ts";
import { localMinute } from "../../parts/filter-values.ts";
import { numberText } from "../../texts/number-text.ts";

/** Something that does not work until a person acts. */
export interface Problem {
  tone: "bad" | "warn";
  title: string;
  /** The action that solves the problem. */
  cure: string;
  /** The screen for that action; absent if it is done outside the app. */
  href?: string;
}

type Candidate = Problem & { given: boolean };
type Overview = Schemas["Overview"];
type Uncovered = Schemas["Coverage"]["items"];

const DAY_MS = 86_400_000;

/** Returns the problems, most severe first. */
export function problemsOf(overview: Overview, uncovered: Uncovered, isAdmin: boolean): Problem[] {
  const paging = pagingProblems(overview, uncovered, isAdmin);
  const candidates = [...paging, ...deviceProblems(overview), ...accountProblems(overview)];
  const given = candidates.filter((each) => each.given).map(({ given: _, ...problem }) => problem);
  return given.toSorted((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}

function pagingProblems({ anomalies, paging }: Overview, uncovered: Uncovered, isAdmin: boolean): Candidate[] {
  const { unreached, mailServer, silentGroups, channels } = paging;
  const { critical } = anomalies.open;
  const hours = uncovered.reduce((sum, each) => sum + each.hours, 0);
  const [failing, unconfirmed] = [channels?.failing ?? 0, channels?.unconfirmed ?? 0];
  const open = "/anomalies?status=open&sort=-severity";
  return [
    problem("bad", unreached, t.unreached(unreached), t.unreachedCure, open),
    problem("bad", critical, t.critical(critical), t.criticalCure, open),
    { given: isAdmin && !mailServer, tone: "bad", title: t.noMailServer, cure: t.noMailServerCure },
    problem("bad", failing, t.failingChannels(failing), t.failingChannelsCure, "/groups"),
    problem(
      "bad",
      silentGroups,
      t.silentGroups(silentGroups),
      isAdmin ? t.silentGroupsCure : t.silentGroupsAsk,
      "/groups",
    ),
    problem(
      "bad",
      hours,
      t.uncovered(numberText(Math.ceil(hours)), uncovered.length),
      isAdmin ? t.uncoveredCure : t.uncoveredAsk,
      `/shifts?group=${uncovered[0]?.groupId ?? ""}`,
    ),
    problem("warn", unconfirmed, t.unconfirmedChannels(unconfirmed), t.unconfirmedChannelsCure, "/groups"),
  ];
}

function accountProblems({ serviceAccounts }: Overview): Candidate[] {
  const { withoutContact, ending } = serviceAccounts ?? { withoutContact: 0, ending: 0 };
  const list = "/service-accounts";
  return [
    problem("warn", ending, t.accountsEnding(ending), t.accountsEndingCure, list),
    problem("warn", withoutContact, t.withoutContact(withoutContact), t.withoutContactCure, list),
  ];
}

function deviceProblems({ anomalies, at, devices, findings, refusedLastDay, tickets }: Overview): Candidate[] {
  const { major, minor, warning } = anomalies.open;
  const { expired } = devices.certificates;
  const open = major + minor + warning;
  const since = localMinute(Date.parse(at) - DAY_MS);
  return [
    finding("bad", "shared_key", findings.shared_key, t.sharedKey, t.sharedKeyCure),
    finding("bad", "renewal_overdue", findings.renewal_overdue, t.renewalsOverdue, t.renewalsOverdueCure),
    finding("warn", "bundle_expiring", findings.bundle_expiring, t.bundlesEnding, t.bundlesEndingCure),
    problem("warn", expired, t.expired(expired), t.expiredCure, "/devices?certificateState=expired"),
    finding("warn", "publishes_nowhere", findings.publishes_nowhere, t.publishesNowhere, t.publishesNowhereCure),
    finding("warn", "values_rejected", findings.values_rejected, t.valuesRejected, t.valuesRejectedCure),
    problem("warn", open, t.open(open), t.openCure, "/anomalies?status=open&sort=-severity"),
    problem(
      "warn",
      tickets.overdue,
      t.overdueTickets(tickets.overdue),
      t.overdueTicketsCure,
      "/tickets?overdue=true&sort=dueAt",
    ),
    problem("warn", refusedLastDay, t.refused(refusedLastDay), t.refusedCure, `/refusals?from=${since}`),
  ];
}

function problem(tone: Problem["tone"], count: number, title: string, cure: string, href: string): Candidate {
  return { given: count > 0, tone, title, cure, href };
}

function finding(
  tone: Problem["tone"],
  kind: keyof Overview["findings"],
  count: number,
  title: (count: number) => string,
  cure: string,
): Candidate {
  return problem(tone, count, title(count), cure, `/findings?kind=${kind}`);
}
