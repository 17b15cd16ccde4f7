import { checkEmail } from "../../access/access.ts";
import { plainLine } from "../../lib/text.ts";
import type { Document } from "../protocol/attributes.ts";
import { ScimRefusal } from "../protocol/refusal.ts";
import { USER_SCHEMA } from "../protocol/schemas.ts";
import { type Resource, withMeta } from "../resource.ts";
import type { UserRow } from "./user-store.ts";

/** Returns the attributes of a user that requests may write. */
export function documentOf({ attributes, email, name, status }: UserRow): Document {
  const document = attributes ?? {
    userName: email,
    ...(name !== null && { displayName: name }),
    emails: [{ value: email, primary: true }],
    active: true,
  };
  // Muster decides who is active: an admin may deactivate a user, too. Removed by the provider, it is true by default.
  const { active, ...others } = document;
  const shown = status === "active" ? active !== undefined : true;
  return { ...others, ...(shown && { active: status === "active" }) };
}

export function userResource(row: UserRow, base: string): Resource {
  const groups = row.groups.map(({ value, display }) => ({ value, $ref: `${base}/Groups/${value}`, display }));
  const content = {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...documentOf(row),
    ...(groups.length > 0 && { groups }),
  };
  return withMeta(content, {
    kind: "User",
    base,
    created: row.created_at,
    modified: row.modified_at ?? row.created_at,
  });
}

/** The facts about a user that Muster uses. */
export interface Account {
  email: string;
  name: string | null;
  status: "active" | "deactivated";
}

const MOST_NAME = 100;

/** Returns the account that a document describes. @throws ScimRefusal invalidValue */
export function accountOf(document: Document): Account {
  if (typeof document.userName !== "string" || document.userName.trim() === "")
    throw new ScimRefusal("invalidValue", "A user needs a userName.");
  const emails = (document.emails ?? []) as { value?: unknown; primary?: unknown }[];
  const chosen = emails.find(({ primary }) => primary === true) ?? emails[0];
  const address = chosen?.value ?? document.userName;
  return {
    email: refuseAs("A user needs an e-mail address, as emails or as userName.", () => checkEmail(String(address))),
    name: nameOf(document),
    status: document.active === false ? "deactivated" : "active",
  };
}

function nameOf({ displayName, name }: Document): string | null {
  const { formatted, givenName, familyName } = (name ?? {}) as Record<string, string | undefined>;
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  const text = (displayName as string | undefined) ?? formatted ?? parts;
  if (text.trim() === "") return null;
  return refuseAs("The name is one line of text.", () => plainLine("name", text.trim().slice(0, MOST_NAME)));
}

function refuseAs<T>(message: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ScimRefusal("invalidValue", message);
  }
}
