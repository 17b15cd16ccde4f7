import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { inApp } from "../../in-app.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, instant } from "../../shapes.ts";
import * as specified from "../../v1/paging/overrides.ts";
import { DUTY, duty } from "./on-call.ts";

const TAG = "Shifts";

export const listOverrides = inApp(specified.listOverrides, {
  description:
    "The overrides and open offers of a group that have not ended, by start. Users other than admins see those of groups that they are members of, or on a shift of.",
});
export const createOverride = inApp(specified.createOverride);
export const deleteOverride = inApp(specified.deleteOverride);

const groupName = z.string();
const { OVERRIDE_EXAMPLE } = specified;

export const listOwnDuties = adminRoute({
  useCase: notificationUseCases.listOwnDuties,
  operationId: "listOwnDuties",
  method: "GET",
  path: "/api/admin/duties",
  tag: TAG,
  summary: "List your duties",
  description: "The signed-in user's duties of the next 28 days, and the offers that the user made or may agree to.",
  status: 200,
  response: z
    .strictObject({
      duties: z.array(duty.extend({ groupName }).meta({ id: "OwnDuty" })),
      offers: z.array(specified.override.extend({ groupName }).meta({ id: "DutyOffer" })),
    })
    .meta({ id: "OwnDuties" }),
  errors: [],
  volatile: ["duties", "offers"],
  examples: { response: { duties: [{ ...DUTY, groupName: "Pump hall" }], offers: [] } },
  handler: (caller, _input, listOwnDuties) => listOwnDuties(caller),
});

export const offerDuty = adminRoute({
  useCase: notificationUseCases.offerDuty,
  operationId: "offerDuty",
  method: "POST",
  path: "/api/admin/groups/{id}/offers",
  tag: TAG,
  summary: "Offer your duty",
  description:
    "Offers the signed-in user's duty in the group for a time: to a member or a user of its shifts, or to all of them. It stays the user's until somebody agrees.",
  params: idParams,
  body: z
    .strictObject({
      userId: id.nullable().optional().meta({ description: "Everyone of the group by default" }),
      startsAt: instant,
      endsAt: instant,
    })
    .meta({ id: "DutyOfferCreate" }),
  status: 201,
  response: specified.override,
  errors: ["not_found", "already_exists", "rate_limited"],
  examples: {
    body: { startsAt: OVERRIDE_EXAMPLE.startsAt, endsAt: OVERRIDE_EXAMPLE.endsAt },
    response: {
      ...OVERRIDE_EXAMPLE,
      userId: null,
      replacesUserId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
      state: "offered",
    },
  },
  handler: (caller, { params, body }, offerDuty) => offerDuty(caller, params.id, body),
});

export const agreeToOffer = adminRoute({
  useCase: notificationUseCases.agreeToOffer,
  operationId: "agreeToOffer",
  method: "POST",
  path: "/api/admin/overrides/{id}/agree",
  tag: TAG,
  summary: "Take an offered duty",
  description: "The first to agree has the duty. Both are told.",
  params: idParams,
  status: 200,
  response: specified.override,
  errors: ["not_found", "already_exists", "precondition_failed"],
  examples: { response: OVERRIDE_EXAMPLE },
  handler: (caller, { params }, agreeToOffer) => agreeToOffer(caller, params.id),
});

export const withdrawOffer = adminRoute({
  useCase: notificationUseCases.withdrawOffer,
  operationId: "withdrawOffer",
  method: "POST",
  path: "/api/admin/overrides/{id}/withdraw",
  tag: TAG,
  summary: "Withdraw or decline an offer",
  description: "Withdraws the signed-in user's own offer, or declines one to the user, of which its user is told.",
  params: idParams,
  status: 204,
  errors: ["not_found", "precondition_failed"],
  examples: {},
  handler: (caller, { params }, withdrawOffer) => withdrawOffer(caller, params.id),
});
