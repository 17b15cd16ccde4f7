import { type ChannelType, postJson, shorten, WEBHOOK_URL } from "../channel-type.ts";

/** The limits of an embed, of which all texts together have at most 6,000 characters. */
const MOST = { title: 256, text: 2_000, fields: 10, value: 300 } as const;
const COLORS = { critical: 0xc92a2a, major: 0xe8590c, minor: 0xf08c00, warning: 0xf08c00, info: 0x1971c2 } as const;
const RESOLVED = 0x2f9e44;

/** Escapes the Markdown of Discord, links and mentions included. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<:@-]/g, "\\$&");
}

/** Discord: an incoming webhook with an embed (discord.com/developers/docs/resources/webhook#execute-webhook). */
export const discord: ChannelType = {
  label: "Discord",
  fields: [{ ...WEBHOOK_URL, example: "https://discord.com/api/webhooks/…" }],
  request: ({ kind, title, text, facts, link, severity }, { webhookUrl }) =>
    postJson(webhookUrl!, {
      // Without it, a name such as @everyone would notify everybody.
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: shorten(escapeMarkdown(title), MOST.title),
          description: shorten(`${text ? `${escapeMarkdown(text)}\n\n` : ""}[${link.label}](${link.url})`, MOST.text),
          url: link.url,
          color: kind === "resolved" ? RESOLVED : COLORS[severity],
          fields: facts.slice(0, MOST.fields).map(([name, value]) => ({
            name,
            value: shorten(escapeMarkdown(value), MOST.value) || "–",
            inline: true,
          })),
        },
      ],
    }),
};
