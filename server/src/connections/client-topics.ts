import { DEFAULT_LIMITS } from "../lib/limits/limits.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";

const MAX_BYTES = 256;
const MAX_LEVELS = DEFAULT_LIMITS.mqttTopicLevels;
const MAX_TOPICS = records.topicsOfMqttClient.value;
const PLAIN = /^[A-Za-z0-9_-]+$/;

/**
 * Checks the topics that an MQTT client may publish to: whole topics under its tenant's prefix `t/<slug>/`, without
 * wildcards.
 *
 * @throws {MusterError} invalid_request with the offending topic in `detail`
 */
export function checkPublishTopics(topics: readonly string[], tenantSlug: string): string[] {
  return check(topics, tenantSlug, "A publish topic", (levels) => levels.every((level) => PLAIN.test(level)));
}

/**
 * Checks the filters that an MQTT client may subscribe to: under its tenant's prefix, with `+` for a level and `#` at
 * the end.
 *
 * @throws {MusterError} invalid_request with the offending filter in `detail`
 */
export function checkSubscribeFilters(filters: readonly string[], tenantSlug: string): string[] {
  return check(filters, tenantSlug, "A subscribe filter", (levels) =>
    levels.every((level, at) => PLAIN.test(level) || level === "+" || (level === "#" && at === levels.length - 1)),
  );
}

function check(
  topics: readonly string[],
  tenantSlug: string,
  what: string,
  isWellFormed: (levels: string[]) => boolean,
): string[] {
  if (topics.length > MAX_TOPICS) throw invalidRequest(`At most ${MAX_TOPICS} topics.`);
  const prefix = `t/${tenantSlug}/`;
  for (const topic of topics) {
    const inside = topic.startsWith(prefix) && topic.length <= MAX_BYTES;
    const isDeep = topic.split("/").length > MAX_LEVELS;
    if (!inside || isDeep || !isWellFormed(topic.slice(prefix.length).split("/"))) {
      throw invalidRequest(
        `${what} must begin with ${prefix} and consist of plain levels, at most ${MAX_LEVELS}.`,
        topic.slice(0, MAX_BYTES),
      );
    }
  }
  return [...new Set(topics)];
}
