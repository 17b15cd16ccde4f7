import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";

const PLACEHOLDER = "{deviceId}";
const SEGMENT = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_TEMPLATES = records.topicsOfDeviceType.value;
/** The broker's limit of a topic; the longest slug and the longest device id must still fit. */
const MAX_TOPIC_BYTES = 256;
const LONGEST_SLUG = "s".repeat(40);
const LONGEST_ID = "d".repeat(64);

/**
 * Checks topic templates of a device type. They are relative to the tenant's prefix and consist of plain segments, one
 * of which is `{deviceId}` as a whole, so that no two devices share a topic and no template is a wildcard (spec 2.8).
 *
 * @returns them without duplicates
 * @throws MusterError invalid_request with the template in `detail`
 */
export function checkTemplates(templates: readonly string[]): string[] {
  if (templates.length > MAX_TEMPLATES) throw invalidRequest(`a device type can have at most ${MAX_TEMPLATES} topics`);
  for (const template of templates) {
    const segments = template.split("/");
    const plain = segments.every((segment) => segment === PLACEHOLDER || SEGMENT.test(segment));
    if (!plain)
      throw invalidRequest(
        `a topic is made of segments of A-Z a-z 0-9 _ - separated by /, without a leading /; the only placeholder is ${PLACEHOLDER}`,
        template,
      );
    if (resolveTopics([template], LONGEST_SLUG, LONGEST_ID)[0]!.length > MAX_TOPIC_BYTES)
      throw invalidRequest(`with the longest device id this topic has more than ${MAX_TOPIC_BYTES} bytes`, template);
    if (!segments.includes(PLACEHOLDER)) throw invalidRequest(`a topic must have a segment ${PLACEHOLDER}`, template);
  }
  return [...new Set(templates)];
}

/** Returns the prefix of the topics of a tenant's devices: `t/<slug>`. */
export function topicPrefix(tenantSlug: string): string {
  return `t/${tenantSlug}`;
}

/** Returns the exact topics of one device: `telemetry/{deviceId}` → `t/<slug>/telemetry/<id>`. */
export function resolveTopics(templates: readonly string[], tenantSlug: string, deviceId: string): string[] {
  return templates.map((template) => {
    const segments = template.split("/").map((segment) => (segment === PLACEHOLDER ? deviceId : segment));
    return [topicPrefix(tenantSlug), ...segments].join("/");
  });
}
