import { type ChannelType, plainLines, postJson, shorten, withoutMentions } from "../channel-type.ts";

/** A message may have 4,096 characters. */
const MOST = { text: 3_500 } as const;

/** Telegram: `sendMessage` of the Bot API as plain text, without `parse_mode`. */
export const telegram: ChannelType = {
  label: "Telegram",
  fields: [
    { name: "botToken", kind: "line", required: true, secret: true, example: "123456789:AA…" },
    { name: "chatId", kind: "line", required: true, secret: false, example: "-1001234567890" },
    { name: "server", kind: "url", required: false, secret: false, fallback: "https://api.telegram.org" },
  ],
  validate({ botToken, chatId }) {
    if (!/^\d{3,20}:[A-Za-z0-9_-]{10,100}$/.test(botToken!)) return { field: "botToken", must: "be a token of a bot" };
    if (!/^(-?\d{1,20}|@[A-Za-z0-9_]{5,32})$/.test(chatId!))
      return { field: "chatId", must: "be a number or @channel" };
    return undefined;
  },
  request(notice, { botToken, chatId, server }) {
    // A slash would begin a command of a bot.
    const text = withoutMentions(`${notice.title}\n${plainLines(notice)}`).replaceAll("/", "/\u200b");
    return postJson(`${server!.replace(/\/+$/, "")}/bot${botToken}/sendMessage`, {
      chat_id: chatId,
      text: `${shorten(text, MOST.text)}\n\n${notice.link.label}: ${notice.link.url}`,
      link_preview_options: { is_disabled: true },
    });
  },
  // 400 says that the chat is unknown, or that the group has become another chat.
  verdict: ({ status }) => (status === 400 ? "gone" : undefined),
};
