import { type ChannelType, postJson, shorten, WEBHOOK_URL } from "../channel-type.ts";

/** A message may have 32,000 octets; an escaped character takes five. */
const MOST = { title: 300, text: 1_000, value: 300 } as const;

/** Escapes the HTML that card text may contain. Mentions such as `<users/all>` are not active in cards. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Google Chat: an incoming webhook with a card (developers.google.com/workspace/chat/api/reference/rest/v1/cards). */
export const googleChat: ChannelType = {
  label: "Google Chat",
  fields: [{ ...WEBHOOK_URL, example: "https://chat.googleapis.com/v1/spaces/…" }],
  request: ({ title, text, facts, link, key }, { webhookUrl }) =>
    postJson(webhookUrl!, {
      cardsV2: [
        {
          cardId: key,
          card: {
            header: { title: shorten(title.replace(/[<>]/g, "|"), MOST.title) },
            sections: [
              {
                widgets: [
                  ...(text ? [{ textParagraph: { text: escapeHtml(shorten(text, MOST.text)) } }] : []),
                  ...facts.map(([topLabel, value]) => ({
                    decoratedText: { topLabel, text: escapeHtml(shorten(value, MOST.value)), wrapText: true },
                  })),
                  { buttonList: { buttons: [{ text: link.label, onClick: { openLink: { url: link.url } } }] } },
                ],
              },
            ],
          },
        },
      ],
    }),
};
