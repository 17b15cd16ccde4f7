import { PROPERTY_RULES, type Properties, type PropertyRule } from "./property-table.ts";

const NONE = Buffer.of(0);
const SUBSCRIPTION_ID = Buffer.of(0x0b);

/**
 * Encodes properties with their length prefix (MQTT 5, 2.2.2).
 *
 * @param subscriptionIds those of a PUBLISH, in which the property may repeat
 */
export function writeProperties(properties: Properties, subscriptionIds: readonly number[] = []): Buffer {
  const parts: Buffer[] = subscriptionIds.flatMap((id) => [SUBSCRIPTION_ID, varint(id)]);
  for (const rule of PROPERTY_RULES) {
    const value = properties[rule.name];
    if (value === undefined) continue;
    if (rule.type === "pair") for (const pair of properties.userProperties!) parts.push(idOf(rule), ...pair.map(text));
    else parts.push(idOf(rule), encode(rule, value as number | string | Buffer));
  }
  if (parts.length === 0) return NONE;
  const content = Buffer.concat(parts);
  return Buffer.concat([varint(content.length), content]);
}

/** Encodes a variable byte integer (MQTT 5, 1.5.5). @param value at most 268,435,455 */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function idOf({ id }: PropertyRule): Buffer {
  return Buffer.of(id);
}

function encode({ type }: PropertyRule, value: number | string | Buffer): Buffer {
  if (typeof value === "string") return text(value);
  if (typeof value !== "number") return lengthAnd(value);
  if (type === "varint") return varint(value);
  if (type === "uint32") return Buffer.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
  return type === "uint16" ? Buffer.of(value >> 8, value & 255) : Buffer.of(value);
}

function text(value: string): Buffer {
  return lengthAnd(Buffer.from(value));
}

function lengthAnd(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
}
