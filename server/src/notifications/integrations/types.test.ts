import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { z } from "zod";
import type { AnomalyMessage } from "../message.ts";
import type { ChannelType, OutgoingRequest } from "./channel-type.ts";
import { noticeOf } from "./notice.ts";
import { checkSettings, REGISTRY, type TypeName } from "./registry.ts";

const HOOK = { webhookUrl: "https://chat.example/hook" };
const SETTINGS: Record<TypeName, Record<string, string>> = {
  slack: HOOK,
  teams: HOOK,
  google_chat: HOOK,
  discord: HOOK,
  mattermost: HOOK,
  pagerduty: { routingKey: "A".repeat(32) },
  alertmanager: { server: "https://alerts.example/" },
  ntfy: { topicUrl: "https://ntfy.example/plant" },
  telegram: { botToken: "123456:AAAAAAAAAAAAAAAAAAAA", chatId: "-100123" },
  http: { url: "https://desk.example/api" },
};
const TYPES = Object.entries(REGISTRY) as [TypeName, ChannelType][];

/** Text that a hostile device or user could write into a name. */
const HOSTILE = [
  "<!channel> <!here> <@U123> <https://evil.example|click>",
  "@everyone @here @channel @all <@&1>",
  "[click](https://evil.example) **bold** `code` # head",
  '"},{"text":"injected"}, {{title}} {{{body}}}',
  "<users/all> <a href='https://evil.example'>x</a> <at>Ada</at> &lt;",
  "line\nbreak\u202Ereversed\u0000",
];

function anomaly(text: string): AnomalyMessage {
  return {
    type: "anomaly.opened",
    at: "2026-11-20T10:00:00.000Z",
    timeZone: "UTC",
    group: { id: "g", name: text },
    device: { id: "pump-1", name: text, place: text },
    anomaly: {
      ...{ id: "0199c1c8-0000-7a11-9c22-5e6f7a8b9c0d", severity: "critical", message: text, metric: text },
      ...{ value: text, limit: 8, openedAt: "2026-11-20T10:00:00.000Z", resolvedAt: null, resolvedBy: null },
    },
  };
}

const DEPS = { baseUrl: () => "https://muster.example", webhookKeys: () => [createSecretKey(Buffer.alloc(32))] };

function render(name: TypeName, message: AnomalyMessage): OutgoingRequest {
  const { open, secret } = checkSettings(name, SETTINGS[name]);
  return REGISTRY[name].request(noticeOf(DEPS, "0199c1c9-0000-7a11-9c22-5e6f7a8b9c0d", message), {
    ...open,
    ...secret,
  });
}

const text = (most: number) => z.string().min(1).max(most);
const plain = (most: number) => z.strictObject({ type: z.literal("plain_text"), text: text(most), emoji: z.boolean() });
const link = z.url();

/** The published contracts: field names, limits of length and allowed values. */
const CONTRACTS: Record<TypeName, z.ZodType> = {
  slack: z.strictObject({
    text: text(40_000),
    blocks: z
      .array(
        z.union([
          z.strictObject({ type: z.literal("header"), text: plain(150) }),
          z.strictObject({ type: z.literal("section"), text: plain(3_000) }),
          z.strictObject({ type: z.literal("section"), fields: z.array(plain(2_000)).max(10) }),
          z.strictObject({
            type: z.literal("actions"),
            elements: z.array(z.strictObject({ type: z.literal("button"), text: plain(75), url: link })).max(25),
          }),
        ]),
      )
      .max(50),
  }),
  teams: z.strictObject({
    type: z.literal("message"),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.string(),
          type: z.literal("AdaptiveCard"),
          version: z.literal("1.5"),
          msteams: z.object({ width: z.literal("Full") }),
          body: z.array(
            z.strictObject({
              type: z.literal("RichTextBlock"),
              inlines: z.array(
                z.strictObject({
                  type: z.literal("TextRun"),
                  text: z.string(),
                  size: z.enum(["small", "default", "medium", "large", "extraLarge"]).optional(),
                  weight: z.enum(["lighter", "default", "bolder"]).optional(),
                  color: z.enum(["default", "dark", "light", "accent", "good", "warning", "attention"]).optional(),
                }),
              ),
            }),
          ),
          actions: z.array(z.strictObject({ type: z.literal("Action.OpenUrl"), title: z.string(), url: link })),
        }),
      }),
    ]),
  }),
  google_chat: z.strictObject({
    cardsV2: z.array(
      z.strictObject({
        cardId: z.string(),
        card: z.strictObject({
          header: z.strictObject({ title: z.string() }),
          sections: z.array(z.strictObject({ widgets: z.array(z.object({})).max(100) })),
        }),
      }),
    ),
  }),
  discord: z.strictObject({
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    embeds: z
      .array(
        z.strictObject({
          title: text(256),
          description: text(4_096),
          url: link,
          color: z.int().min(0).max(0xffffff),
          fields: z.array(z.strictObject({ name: text(256), value: text(1_024), inline: z.boolean() })).max(25),
        }),
      )
      .max(10),
  }),
  mattermost: z.strictObject({
    attachments: z.array(
      z.strictObject({
        fallback: z.string(),
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        title: z.string(),
        title_link: link,
        text: z.string(),
        fields: z.array(z.strictObject({ title: z.string(), value: z.string(), short: z.boolean() })),
      }),
    ),
  }),
  pagerduty: z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.literal("trigger"),
    dedup_key: text(255),
    client: z.string(),
    client_url: link,
    links: z.array(z.strictObject({ href: link, text: z.string() })),
    payload: z.strictObject({
      summary: text(1_024),
      source: text(255),
      severity: z.enum(["critical", "error", "warning", "info"]),
      timestamp: z.iso.datetime(),
      group: z.string(),
      custom_details: z.record(z.string(), z.string()),
    }),
  }),
  alertmanager: z.tuple([
    z.strictObject({
      labels: z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string()),
      annotations: z.record(z.string(), z.string()),
      startsAt: z.iso.datetime(),
      endsAt: z.iso.datetime(),
      generatorURL: link,
    }),
  ]),
  ntfy: z.strictObject({
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
    title: z.string().max(250),
    message: z.string().refine((message) => Buffer.byteLength(message) <= 4_096),
    priority: z.int().min(1).max(5),
    tags: z.array(z.string()),
    click: link,
    actions: z.array(z.strictObject({ action: z.literal("view"), label: z.string(), url: link })).max(3),
  }),
  telegram: z.strictObject({
    chat_id: z.string(),
    text: text(4_096),
    link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
  }),
  http: z.strictObject({ kind: z.string(), title: z.string(), text: z.string(), url: link, key: z.string() }),
};

/** The limit on the whole body, for services that state one. */
const MOST_OCTETS: Partial<Record<TypeName, number>> = {
  teams: 28_000,
  google_chat: 32_000,
  mattermost: 16_383 * 4,
  pagerduty: 512_000,
};

/** Text that a body must not contain, because the service would act on it. */
const ACTIVE: Partial<Record<TypeName, RegExp>> = {
  google_chat: /<users\/|<a href/,
  mattermost: /@(channel|all|here|everyone)\b/,
  telegram: /@(everyone|channel|here|all)\b|"parse_mode"/,
};

for (const [name] of TYPES) {
  test(`${name}: messages keep the published contract, however long and hostile the names are`, () => {
    const long = ["x", "&", "<", "*", "@", "ä", "🚰"].map((each) => each.repeat(5_000));
    for (const text of ["Pump 1", ...HOSTILE, ...long]) {
      const { body } = render(name, anomaly(text));
      assert.ok(body.isWellFormed());
      CONTRACTS[name].parse(JSON.parse(body));
      assert.ok(Buffer.byteLength(body) <= (MOST_OCTETS[name] ?? Number.POSITIVE_INFINITY), `${name}: ${body.length}`);
    }
  });

  test(`${name}: hostile names are inert`, () => {
    for (const text of HOSTILE) {
      const { body } = render(name, anomaly(text));
      assert.ok(!/\u202E|(?<!\\)\\u0000/.test(body), "controls and marks of direction are gone");
      if (ACTIVE[name]) assert.doesNotMatch(body, ACTIVE[name]);
    }
  });
}

test("Slack gets no markup: texts of blocks are plain, and the fallback is escaped", () => {
  const { body } = render("slack", anomaly("<!channel> & <@U1>"));
  const { text, blocks } = JSON.parse(body);
  assert.doesNotMatch(text, /[<>]/);
  assert.ok(!JSON.stringify(blocks).includes("mrkdwn"));
});

test("Discord embeds stay within 6,000 characters, and links and mentions in them are escaped", () => {
  const { embeds } = JSON.parse(render("discord", anomaly("[x](https://e.example) <@1> ".repeat(400))).body);
  const [{ title, description, fields }] = embeds;
  const texts = [
    title,
    description,
    ...fields.flatMap((field: { name: string; value: string }) => [field.name, field.value]),
  ];
  assert.ok(texts.join("").length <= 6_000);
  for (const each of [title, ...fields.map((field: { value: string }) => field.value)])
    assert.doesNotMatch(each, /(?<!\\)[[<]/);
});

test("PagerDuty and Alertmanager resolve what they triggered, by the same key", () => {
  const opened = anomaly("Pump 1");
  const resolved: AnomalyMessage = {
    ...opened,
    type: "anomaly.resolved",
    anomaly: { ...opened.anomaly, resolvedAt: "2026-11-20T11:00:00.000Z", resolvedBy: null },
  };
  const [first, last] = [opened, resolved].map((each) => JSON.parse(render("pagerduty", each).body));
  assert.deepEqual([first.event_action, last.event_action], ["trigger", "resolve"]);
  assert.equal(first.dedup_key, last.dedup_key);
  const [[fired], [ended]] = [opened, resolved].map((each) => JSON.parse(render("alertmanager", each).body));
  assert.deepEqual(fired.labels, ended.labels);
  assert.equal(ended.endsAt, "2026-11-20T11:00:00.000Z");
});

test("settings are refused with the field and without the value", () => {
  const cases: [TypeName, Record<string, string>, string][] = [
    ["slack", {}, "settings.webhookUrl"],
    ["slack", { webhookUrl: "http://chat.example/s3cret" }, "settings.webhookUrl"],
    ["slack", { webhookUrl: "https://u:s3cret@chat.example/" }, "settings.webhookUrl"],
    ["slack", { ...HOOK, other: "s3cret" }, "settings.other"],
    ["pagerduty", { routingKey: "s3cret" }, "settings.routingKey"],
    ["ntfy", { topicUrl: "https://ntfy.example/a/b" }, "settings.topicUrl"],
    ["telegram", { botToken: "s3cret", chatId: "1" }, "settings.botToken"],
    ["http", { url: "https://x.example/", headers: "Host: s3cret" }, "settings.headers"],
    ["http", { url: "https://x.example/", body: '{"a": "{{#if}}"}' }, "settings.body"],
    ["http", { url: "https://x.example/", body: '{"a": {{title}}' }, "settings.body"],
    ["http", { url: "https://x.example/", body: `"${"{{text}}".repeat(51)}"` }, "settings.body"],
    ["http", { url: "https://x.example/", method: "GET" }, "settings.method"],
  ];
  for (const [name, settings, detail] of cases)
    assert.throws(
      () => checkSettings(name, settings),
      (error: Error & { detail?: string }) =>
        "code" in error && error.detail === detail && !error.message.includes("s3cret"),
      `${name} ${detail}`,
    );
});
