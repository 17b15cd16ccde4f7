import { invalidRequest } from "../../lib/request-errors.ts";
import type { ChannelType, Field, Settings } from "./channel-type.ts";
import { alertmanager } from "./types/alertmanager.ts";
import { discord } from "./types/discord.ts";
import { googleChat } from "./types/google-chat.ts";
import { http } from "./types/http.ts";
import { mattermost } from "./types/mattermost.ts";
import { ntfy } from "./types/ntfy.ts";
import { pagerduty } from "./types/pagerduty.ts";
import { slack } from "./types/slack.ts";
import { teams } from "./types/teams.ts";
import { telegram } from "./types/telegram.ts";

/** The services to which groups send. The `CHECK` of the table `integrations` has the same names. */
export const REGISTRY = {
  slack,
  teams,
  google_chat: googleChat,
  discord,
  mattermost,
  pagerduty,
  alertmanager,
  ntfy,
  telegram,
  http,
} as const satisfies Record<string, ChannelType>;

export type TypeName = keyof typeof REGISTRY;
export const TYPE_NAMES = Object.keys(REGISTRY) as [TypeName, ...TypeName[]];

const MOST: Record<Field["kind"], number> = { url: 2_048, line: 512, text: 8_192, choice: 32 };

/** The settings of an integration, those that are secret apart. */
export interface CheckedSettings {
  open: Settings;
  secret: Settings;
}

/**
 * Validates settings against the fields of their type.
 *
 * @throws MusterError invalid_request with `settings.<field>` in `detail`; it never repeats a value
 */
export function checkSettings(name: TypeName, given: Settings): CheckedSettings {
  const type: ChannelType = REGISTRY[name];
  const known = new Set(type.fields.map((field) => field.name));
  const unknown = Object.keys(given).find((field) => !known.has(field));
  if (unknown !== undefined) throw invalidRequest("There is no such setting.", `settings.${unknown}`);
  const checked: CheckedSettings = { open: {}, secret: {} };
  for (const field of type.fields) {
    const value = (given[field.name] ?? "").trim() || field.fallback;
    const must = value === undefined ? (field.required ? "be given" : undefined) : wrong(field, value);
    if (must !== undefined) throw refusal(field.name, must);
    if (value !== undefined) Object.assign(field.secret ? checked.secret : checked.open, { [field.name]: value });
  }
  const invalid = type.validate?.({ ...checked.open, ...checked.secret });
  if (invalid) throw refusal(invalid.field, invalid.must);
  return checked;
}

function refusal(field: string, must: string) {
  return invalidRequest(`settings.${field} must ${must}`, `settings.${field}`);
}

/** @returns what the value must be, if it is not */
function wrong({ kind, choices }: Field, value: string): string | undefined {
  if (value.length > MOST[kind]) return `have at most ${MOST[kind]} characters`;
  if (!value.isWellFormed() || /\p{Cc}/u.test(kind === "text" ? value.replace(/[\r\n\t]/g, "") : value))
    return "not contain control characters";
  if (kind === "choice") return choices!.includes(value) ? undefined : `be one of ${choices!.join(", ")}`;
  return kind === "url" ? wrongUrl(value) : undefined;
}

/** @returns what the address must be, if it is not */
export function wrongUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (/[\s\\]/.test(value) || url?.protocol !== "https:" || !/^https:\/\/[^/]/i.test(value))
    return "be an https address";
  if (url.username !== "" || url.password !== "" || url.hash !== "") return "have no user name, password or fragment";
  return undefined;
}
