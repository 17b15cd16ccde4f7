import { type ChannelType, postJson, shorten, WEBHOOK_URL } from "../channel-type.ts";
import type { Notice } from "../notice.ts";

/** The limits of Block Kit: docs.slack.dev/reference/block-kit/blocks. */
const MOST = { header: 150, section: 3_000, field: 2_000, fields: 10, button: 75 } as const;

/**
 * Escapes the three control characters of Slack, which also begin mentions such as `<!channel>`. An escape that the
 * limit would cut is left out.
 */
export function escapeSlack(text: string, most: number): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escaped.length <= most
    ? escaped
    : `${escaped
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/&[a-z]*$/, "")}…`;
}

const plain = (text: string, most: number) => ({ type: "plain_text", text: shorten(text, most), emoji: false });

function blocks({ title, text, facts, link }: Notice): object[] {
  const fields = facts.slice(0, MOST.fields).map(([name, value]) => plain(`${name}: ${value}`, MOST.field));
  const button = { type: "button", text: plain(link.label, MOST.button), url: link.url };
  return [
    { type: "header", text: plain(title, MOST.header) },
    ...(text ? [{ type: "section", text: plain(text, MOST.section) }] : []),
    ...(fields.length > 0 ? [{ type: "section", fields }] : []),
    { type: "actions", elements: [button] },
  ];
}

/** Slack: incoming webhooks with Block Kit (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export const slack: ChannelType = {
  label: "Slack",
  fields: [{ ...WEBHOOK_URL, example: "https://hooks.slack.com/services/…" }],
  request: (notice, { webhookUrl }) =>
    postJson(webhookUrl!, { text: escapeSlack(notice.title, MOST.section), blocks: blocks(notice) }),
};
