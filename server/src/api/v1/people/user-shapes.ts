import { z } from "zod";
import { ROLES } from "../../../access/access.ts";
import { id, nullableTimestamp, timestamp } from "../../shapes.ts";

/** The shapes of users and invitations. */

export const role = z.enum(ROLES).meta({ id: "Role" });
export const status = z.enum(["active", "deactivated"]).meta({ id: "UserStatus" });

export const userRecord = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string().nullable().meta({ description: "The name that the user gave" }),
    role,
    status,
    platform: z.boolean().meta({ description: "Whether the user also runs the installation" }),
    createdAt: timestamp,
    lastUsedAt: nullableTimestamp.meta({
      description: "The last use of a session that has not expired, to the minute",
    }),
    secondFactor: z.boolean().meta({ description: "Whether the user also enters a code to sign in" }),
    groupCount: z.int().meta({ description: "The groups of the user. Operators and viewers in none see no device" }),
  })
  .meta({ id: "User" });
/** Fields that change without a write of the user. */
export const USER_VOLATILE = ["lastUsedAt", "secondFactor", "groupCount"];

export const USER_EXAMPLE = {
  id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  email: "ada@acme.example",
  name: "Ada Lovelace",
  role: "admin",
  status: "active",
  platform: true,
  createdAt: "2026-11-20T08:00:00.000Z",
  lastUsedAt: "2026-11-20T10:00:00.000Z",
  secondFactor: true,
  groupCount: 2,
};

export const changedUser = userRecord
  .omit({ lastUsedAt: true, secondFactor: true, groupCount: true })
  .meta({ id: "ChangedUser" });
const { lastUsedAt: _, secondFactor: __, groupCount: ___, ...CHANGED } = USER_EXAMPLE;

export { CHANGED as CHANGED_USER_EXAMPLE };

export const inviteFields = {
  id,
  email: z.string(),
  role,
  groupIds: z.array(id).meta({ description: "The groups that the user joins at the acceptance, if they still exist" }),
  createdAt: timestamp,
  createdBy: z.string().meta({ description: "The inviter, in the notation of audits" }),
  expiresAt: timestamp,
};
export const invite = z.strictObject(inviteFields).meta({ id: "Invite" });

export const INVITE_EXAMPLE = {
  id: "0199c1d4-4a00-7c55-b1d2-3e4f5a6b7c8d",
  email: "grace@acme.example",
  role: "operator",
  groupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  createdAt: "2026-11-20T10:00:00.000Z",
  createdBy: "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  expiresAt: "2026-11-23T10:00:00.000Z",
};

export const madeInvite = z
  .strictObject({
    ...inviteFields,
    url: z.string().meta({ description: "The link, shown only in this answer" }),
    mailed: z.boolean().meta({ description: "Whether it is being mailed: a mail server is configured" }),
  })
  .meta({ id: "MadeInvite" });

export const MADE_INVITE_EXAMPLE = {
  ...INVITE_EXAMPLE,
  url: "https://muster.acme.example/invite#4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa",
  mailed: true,
};
