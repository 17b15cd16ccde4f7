import { type Bound, bind } from "../access/access.ts";
import type { OverviewDeps } from "./deps.ts";
import { listFindings } from "./list-findings.ts";
import { listTimeline } from "./list-timeline.ts";
import { nameActors } from "./name-actors.ts";
import { readOverview } from "./read-overview.ts";
import { search } from "./search.ts";

export { ASKED_FINDING_KINDS, FINDING_KINDS } from "./finding-store.ts";
export { TIMELINE_KINDS } from "./timeline-store.ts";

/**
 * The read-only use cases that span several features: the home screen's numbers, the search field, findings, the
 * timeline of a device, and the names of actors.
 */
export const overviewUseCases = { readOverview, search, listFindings, listTimeline, nameActors };
export type Overview = Bound<typeof overviewUseCases>;
export const createOverview = (deps: OverviewDeps): Overview => bind(deps, overviewUseCases);
