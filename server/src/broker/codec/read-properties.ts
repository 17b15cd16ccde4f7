import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { ProtocolProblem } from "../policy/answers.ts";
import type { Cursor } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import { PROPERTY_RULES, type Properties, type PropertyHolder, type PropertyRule } from "./property-table.ts";
import { checkTopicName, MAX_TOPIC_BYTES } from "./topics.ts";

const RULES = new Map(PROPERTY_RULES.map((rule) => [rule.id, rule]));
const MAX_FIELD = 0xffff;
const NONE: Properties = Object.freeze({});

/**
 * Reads the properties of a client's packet (MQTT 5, 2.2.2). Only properties of this packet type are allowed, each at
 * most once except user properties. @throws {PacketProblem}
 */
export function readProperties(cursor: Cursor, holder: PropertyHolder): Properties {
  const length = cursor.varint();
  if (length === 0) return NONE;
  const end = cursor.endOf(length);
  const properties: Properties = {};
  while (cursor.at < end) {
    const rule = RULES.get(cursor.varint());
    if (!rule) throw new PacketProblem("an unknown property");
    const value = readTyped(cursor, rule);
    if (cursor.at > end) throw new PacketProblem("a property is longer than the properties");
    checkPlace(properties, rule, holder);
    checkValue(rule, value, holder);
    if (typeof value === "object" && "name" in value) addUserProperty(properties, value);
    else Object.assign(properties, { [rule.name]: value });
  }
  checkUserProperties(properties);
  return properties;
}

/** Checks that the packet type has this property, and that it does not repeat unless it is a user property. */
function checkPlace(properties: Properties, { name, on, type }: PropertyRule, holder: PropertyHolder): void {
  if (!on.includes(holder)) throw new PacketProblem(`${name} does not belong here`, problemIn(holder));
  if (type !== "pair" && properties[name] !== undefined)
    throw new PacketProblem("a property repeats", "protocol_error");
}

/**
 * Returns the problem of a misplaced property. Either code is correct; other brokers answer SUBSCRIBE and UNSUBSCRIBE
 * with the malformed-packet one.
 */
function problemIn(holder: PropertyHolder): ProtocolProblem {
  return holder === "subscribe" || holder === "unsubscribe" ? "malformed_packet" : "protocol_error";
}

function checkValue({ name, type, notZero }: PropertyRule, value: PropertyValue, holder: PropertyHolder): void {
  if (type === "bit" && (value as number) > 1) throw new PacketProblem(`${name} is 0 or 1`, "protocol_error");
  if (notZero && value === 0) throw new PacketProblem(`${name} is not 0`, problemIn(holder));
  // [MQTT-3.3.2-8]
  if (name === "topicAlias" && value === 0) throw new PacketProblem("topic alias 0", "topic_alias_invalid");
  // [MQTT-3.3.2-13], [MQTT-3.3.2-14], and the same for a will
  if (name === "responseTopic") checkTopicName(value as string, "protocol_error");
}

interface UserProperty {
  name: string;
  value: string;
}

type PropertyValue = number | string | Buffer | UserProperty;

function readTyped(cursor: Cursor, { name, type }: PropertyRule): PropertyValue {
  switch (type) {
    case "uint16":
      return cursor.uint16();
    case "uint32":
      return cursor.uint32();
    case "varint":
      return cursor.varint();
    case "text":
      return cursor.text(name === "responseTopic" ? MAX_TOPIC_BYTES : MAX_FIELD, name);
    case "binary":
      // A copy: properties outlive their packet.
      return Buffer.from(cursor.binary(MAX_FIELD, name));
    case "pair":
      return { name: cursor.text(MAX_FIELD, "user property"), value: cursor.text(MAX_FIELD, "user property") };
    default:
      return cursor.byte();
  }
}

function addUserProperty(properties: Properties, { name, value }: UserProperty): void {
  properties.userProperties ??= [];
  properties.userProperties.push([name, value]);
}

function checkUserProperties({ userProperties }: Properties): void {
  if (!userProperties) return;
  const bytes = userProperties.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const fits =
    userProperties.length <= DEFAULT_LIMITS.mqttUserProperties && bytes <= DEFAULT_LIMITS.mqttUserPropertyBytes;
  if (!fits) throw new PacketProblem("too many user properties", "quota_exceeded");
}
