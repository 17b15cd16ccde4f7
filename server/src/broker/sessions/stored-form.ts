import type { NewStoredMessage, StoredMessage } from "../../connections/connections.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { Cursor } from "../codec/cursor.ts";
import type { Properties } from "../codec/property-table.ts";
import { readProperties } from "../codec/read-properties.ts";
import { writeProperties } from "../codec/write-properties.ts";
import { Message, type Qos } from "../routing/message.ts";

export interface Clocked {
  clock: Clock;
}

/** A message as it is stored for an owner. */
export function toStored(
  { clock }: Clocked,
  ownerId: string,
  { message, qos, retain }: { message: Message; qos: Qos; retain: boolean },
): NewStoredMessage {
  const { messageExpiry, ...properties } = message.propertiesAt(clock.monotonicMs()) ?? {};
  const expiresAt = messageExpiry === undefined ? undefined : new Date(clock.now().getTime() + messageExpiry * SECOND);
  const { topic, payload } = message;
  return { ownerId, topic, payload, qos: qos as 1 | 2, retain, properties: writeProperties(properties), expiresAt };
}

/** A stored message as it is sent. */
export function fromStored({ clock }: Clocked, { topic, payload, qos, properties, expiresAt }: StoredMessage): Message {
  const seconds = expiresAt && Math.max(1, Math.ceil((expiresAt.getTime() - clock.now().getTime()) / SECOND));
  const read = propertiesOf(properties);
  return new Message(
    topic,
    payload,
    qos,
    seconds === null ? read : { ...read, messageExpiry: seconds },
    clock.monotonicMs(),
  );
}

function propertiesOf(bytes: Buffer): Properties {
  return readProperties(new Cursor({ first: 0, bytes, bodyStart: 0, end: bytes.length }), "publish");
}
