import type { ChannelKind } from "../groups/groups.ts";
import type { NotificationsDeps } from "./deps.ts";

/** The reason this installation cannot send to a channel: it has no mail server. */
export type Obstacle = "no_mail_server";

/** Returns what keeps messages from being sent by a channel, or `null`. */
export function obstacleOf({ settings }: Pick<NotificationsDeps, "settings">, channel: ChannelKind): Obstacle | null {
  return channel === "email" && settings.smtp === undefined ? "no_mail_server" : null;
}
