import { type ChannelType, postJson, shorten, WEBHOOK_URL } from "../channel-type.ts";
import type { Notice } from "../notice.ts";

/** A message may have 28 KB. */
const MOST = { title: 500, text: 2_000, value: 1_000 } as const;

/** Text runs render no Markdown, and mentions need an entity of their own, so nothing in them is active. */
function paragraph(text: string, style: object = {}): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...style }] };
}

function card({ title, text, facts, link, kind, severity }: Notice): object {
  const color = kind === "resolved" ? "good" : severity === "critical" ? "attention" : "default";
  return {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.5",
    msteams: { width: "Full" },
    body: [
      paragraph(shorten(title, MOST.title), { size: "large", weight: "bolder", color }),
      ...(text ? [paragraph(shorten(text, MOST.text))] : []),
      ...facts.map(([name, value]) => paragraph(`${name}: ${shorten(value, MOST.value)}`)),
    ],
    actions: [{ type: "Action.OpenUrl", title: link.label, url: link.url }],
  };
}

/** Microsoft Teams: an Adaptive Card 1.5 to a webhook of Workflows. */
export const teams: ChannelType = {
  label: "Microsoft Teams",
  fields: [{ ...WEBHOOK_URL, example: "https://….logic.azure.com/workflows/…" }],
  request: (notice, { webhookUrl }) =>
    postJson(webhookUrl!, {
      type: "message",
      attachments: [
        { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: card(notice) },
      ],
    }),
};
