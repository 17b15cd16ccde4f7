import type { NotificationsDeps } from "../deps.ts";
import { encryptPush, type PushKey, topicOf, vapid } from "../push/encrypt.ts";
import type { HttpCall } from "../webhooks/call-target.ts";
import { plainLines, type Settings, shorten, shortenOctets } from "./channel-type.ts";
import type { Notice } from "./notice.ts";

/** A push service accepts 4,096 octets; the header, the tag and the JSON around the text need the rest. */
const MOST = { title: 200, bodyOctets: 2_000 } as const;
/** The time for which a push service keeps a message for a device that is off. */
const TTL_SECONDS = 24 * 3_600;

/**
 * Builds the request of a notification to one browser (RFC 8030 5). The push service learns neither its text nor its
 * link.
 */
export function pushCall(
  { baseUrl, clock, ids }: Pick<NotificationsDeps, "baseUrl" | "clock" | "ids">,
  notice: Notice,
  { endpoint, p256dh, auth }: Settings,
  key: PushKey,
): HttpCall {
  const { kind, link, severity, title } = notice;
  const body = shortenOctets(plainLines(notice), MOST.bodyOctets);
  const message = JSON.stringify({ title: shorten(title, MOST.title), body, url: link.url, tag: notice.key });
  const keys = { p256dh: Buffer.from(p256dh!, "base64url"), auth: Buffer.from(auth!, "base64url") };
  return {
    method: "POST",
    url: endpoint!,
    headers: {
      authorization: vapid(key, new URL(endpoint!), baseUrl(), clock.now()),
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(TTL_SECONDS),
      urgency: kind === "opened" && severity === "critical" ? "high" : "normal",
      topic: topicOf(notice.key),
    },
    body: encryptPush(Buffer.from(message), keys, ids),
  };
}
