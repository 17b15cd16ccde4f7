import { type ChannelType, plainLines, postJson, shorten, shortenOctets } from "../channel-type.ts";

const PRIORITY = { critical: 5, major: 4, minor: 3, warning: 3, info: 3 } as const;
/** A longer message would become an attachment. */
const MOST = { title: 250, messageOctets: 4_000 } as const;

/** ntfy: a message as JSON to the server of a topic (docs.ntfy.sh/publish/#publish-as-json). */
export const ntfy: ChannelType = {
  label: "ntfy",
  fields: [
    { name: "topicUrl", kind: "url", required: true, secret: true, example: "https://ntfy.sh/plant-4f9a" },
    { name: "token", kind: "line", required: false, secret: true, example: "tk_…" },
  ],
  validate: ({ topicUrl }) =>
    /^\/[A-Za-z0-9_-]{1,64}$/.test(new URL(topicUrl!).pathname) && new URL(topicUrl!).search === ""
      ? undefined
      : { field: "topicUrl", must: "be the address of a server and one topic" },
  request(notice, { topicUrl, token }) {
    const url = new URL(topicUrl!);
    const { kind, link, severity, title } = notice;
    const message = {
      topic: url.pathname.slice(1),
      title: shorten(title, MOST.title),
      message: shortenOctets(plainLines(notice) || title, MOST.messageOctets),
      priority: kind === "opened" ? PRIORITY[severity] : 3,
      tags: [kind === "resolved" ? "white_check_mark" : kind === "opened" ? "rotating_light" : "wave"],
      click: link.url,
      actions: [{ action: "view", label: link.label, url: link.url }],
    };
    return postJson(`${url.origin}/`, message, token ? { authorization: `Bearer ${token}` } : {});
  },
};
