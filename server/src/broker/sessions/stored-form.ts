import type { NewStoredMessage, StoredMessage } from "../../connections/connections.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { Cursor } from "../codec/cursor.ts";
import type { Properties } from "../codec/property-table.ts";
import { readProperties } from "../codec/read-properties.ts";
import { writeProperties } from "../codec/write-properties.ts";
import { type Delivery, Message, type Qos } from "../message.ts";

export interface Clocked {
  clock: Clock;
}

/** The stored fields that every message has. */
export type StoredForm = Pick<StoredMessage, "topic" | "payload" | "properties" | "expiresAt">;

export function storedForm({ clock }: Clocked, message: Message): StoredForm {
  const { messageExpiry, ...properties } = message.propertiesAt(clock.monotonicMs()) ?? {};
  const expiresAt = messageExpiry === undefined ? null : new Date(clock.now().getTime() + messageExpiry * SECOND);
  const { topic, payload } = message;
  return { topic, payload, properties: writeProperties(properties), expiresAt };
}

/** Returns the stored form of a message for an owner. */
export function toStored(
  deps: Clocked,
  ownerId: string,
  { message, qos, retain, subscriptionIds }: Pick<Delivery, "message" | "qos" | "retain" | "subscriptionIds">,
): NewStoredMessage {
  const { expiresAt, ...form } = storedForm(deps, message);
  return { ...form, ownerId, qos: qos as 1 | 2, retain, subscriptionIds, expiresAt: expiresAt ?? undefined };
}

/** Returns the message to send for a stored one. */
export function messageOf(
  { clock }: Clocked,
  { topic, payload, qos, properties, expiresAt }: StoredForm & { qos: Qos },
): Message {
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
