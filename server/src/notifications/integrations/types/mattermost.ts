import { type ChannelType, postJson, shorten, WEBHOOK_URL, withoutMentions } from "../channel-type.ts";

/** A post may have 16,383 characters. */
const MOST = { title: 300, text: 2_000, value: 500 } as const;
const COLORS = {
  critical: "#c92a2a",
  major: "#e8590c",
  minor: "#f08c00",
  warning: "#f08c00",
  info: "#1971c2",
} as const;

/** Escapes Markdown, and breaks mentions such as @channel and hashtags. */
function inert(text: string, most: number): string {
  return shorten(withoutMentions(text.replace(/[\\*_~`|>#[\]()<!:-]/g, "\\$&")), most);
}

/** Mattermost: an incoming webhook with an attachment (developers.mattermost.com/integrate/reference). */
export const mattermost: ChannelType = {
  label: "Mattermost",
  fields: [{ ...WEBHOOK_URL, example: "https://mattermost.example/hooks/…" }],
  request: ({ kind, title, text, facts, link, severity }, { webhookUrl }) =>
    postJson(webhookUrl!, {
      attachments: [
        {
          fallback: inert(title, MOST.title),
          color: kind === "resolved" ? "#2f9e44" : COLORS[severity],
          title: withoutMentions(shorten(title, MOST.title)),
          title_link: link.url,
          text: `${text ? `${inert(text, MOST.text)}\n\n` : ""}[${link.label}](${link.url})`,
          fields: facts.map(([name, value]) => ({ title: name, value: inert(value, MOST.value), short: true })),
        },
      ],
    }),
};
