import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const COVERAGE = "/api/admin/coverage";
export type OnCall = Schemas["OnCall"];

export const groupOnCallQuery = (id: string) => read("/api/admin/groups/{id}/on-call", { path: { id } });
export const deviceOnCallQuery = (id: string) => read("/api/admin/devices/{id}/on-call", { path: { id } });
/** The groups with uncovered hours in the next seven days. */
export const coverageQuery = read(COVERAGE);

export const DUTIES = "/api/admin/duties";
const OVERRIDES = "/api/admin/groups/{id}/overrides";
const OVERRIDE = "/api/admin/overrides/{id}";
export type Override = Schemas["DutyOverride"];
export type Offer = Schemas["DutyOffer"];
export type OwnDuty = Schemas["OwnDuty"];

/** The caller's duties of the next 28 days, and open offers. */
export const ownDutiesQuery = read(DUTIES);
export const overridesQuery = (id: string) => read(OVERRIDES, { path: { id }, query: { limit: 200 } });

export type Replay = Schemas["Replay"];
/** Whom the group would have paged in a past period, as it is and changed. */
export const replayPaging = (id: string, body: Schemas["ReplayRequest"]) =>
  must(api.POST("/api/admin/groups/{id}/replay", { ...of(id), body }));

const of = (id: string) => ({ params: { path: { id } } });
export const createOverride = (groupId: string, body: Schemas["DutyOverrideCreate"]) =>
  must(api.POST(OVERRIDES, { ...of(groupId), body }));
export const deleteOverride = (id: string) => must(api.DELETE(OVERRIDE, of(id)));
export const offerDuty = (groupId: string, body: Schemas["DutyOfferCreate"]) =>
  must(api.POST("/api/admin/groups/{id}/offers", { ...of(groupId), body }));
export const agreeToOffer = (id: string) => must(api.POST(`${OVERRIDE}/agree`, of(id)));
export const withdrawOffer = (id: string) => must(api.POST(`${OVERRIDE}/withdraw`, of(id)));

const OWN_ABSENCES = "/api/admin/duties/absences";
export type Absence = Schemas["Absence"];

export const absencesQuery = (groupId: string) =>
  read("/api/admin/groups/{id}/absences", { path: { id: groupId }, query: { limit: 200 } });
export const ownAbsencesQuery = read(OWN_ABSENCES);
/** @param userId `undefined` for the caller */
export const createAbsence = (userId: string | undefined, body: Schemas["OwnAbsenceCreate"]): Promise<Absence> =>
  userId === undefined
    ? must(api.POST(OWN_ABSENCES, { body }))
    : must(api.POST("/api/admin/absences", { body: { ...body, userId } }));
export const endAbsence = (id: string) => must(api.DELETE("/api/admin/absences/{id}", of(id)));
export const endOwnAbsence = (id: string) => must(api.DELETE(`${OWN_ABSENCES}/{id}`, of(id)));

const FEEDS = "/api/admin/duties/feeds";
/** The caller's calendars, without their addresses. */
export const feedsQuery = read(FEEDS);
/** @param groupId `null` for the caller's own duties */
export const createFeed = (groupId: string | null) => must(api.POST(FEEDS, { body: { groupId } }));
export const deleteFeed = (id: string) => must(api.DELETE(`${FEEDS}/{id}`, of(id)));
