import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { adminRoute } from "../../route.ts";
import { label } from "../../shapes.ts";

const profile = z.strictObject({
  name: label().nullable().meta({ description: "Shown wherever the user acted; null shows the e-mail address" }),
  language: z.enum(["en", "de"]).nullable().meta({ description: "Null: the language of the browser" }),
  timeZone: z.string().max(100).nullable().meta({ description: "IANA name; null: the zone of the browser" }),
  clock: z.enum(["12", "24"]).nullable().meta({ description: "Hours of the clock; null: as usual in the language" }),
  theme: z.enum(["light", "dark"]).nullable().meta({ description: "Null: the scheme of the browser" }),
});

/** The settings of the app that a user keeps, shown with the session. */
export const profileRecord = profile.meta({ id: "UserProfile" });

export const PROFILE_EXAMPLE = {
  name: "Ada Lovelace",
  language: "en",
  timeZone: "Europe/London",
  clock: "24",
  theme: null,
};

export const changeProfile = adminRoute({
  useCase: accessUseCases.changeProfile,
  operationId: "changeProfile",
  method: "PUT",
  path: "/api/admin/profile",
  tag: "Session",
  summary: "Replace your profile",
  description: "Your name, and the language, the time zone, the clock and the theme of the admin app.",
  body: profile.meta({ id: "NewUserProfile" }),
  status: 200,
  response: profileRecord,
  errors: [],
  examples: { body: PROFILE_EXAMPLE, response: PROFILE_EXAMPLE },
  handler: (caller, { body }, changeProfile) => changeProfile(caller, body),
});
