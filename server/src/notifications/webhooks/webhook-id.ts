/** The webhook that an id identifies: a group's, by the first half of its key. */
export interface WebhookPlace {
  groupId: string;
  keyStart: Buffer;
}

/** The number of octets of the key in an id. */
const KEY_START = 16;
const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([0-9a-f]{32})$/;

/** Parses an id. @returns `undefined` if it cannot be one */
export function placeOf(id: string): WebhookPlace | undefined {
  const [, groupId, start] = ID.exec(id) ?? [];
  return groupId === undefined ? undefined : { groupId, keyStart: Buffer.from(start!, "hex") };
}

export function webhookId(groupId: string, key: Buffer): string {
  return `${groupId}-${key.subarray(0, KEY_START).toString("hex")}`;
}
