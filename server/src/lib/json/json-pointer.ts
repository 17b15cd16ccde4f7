import { isObject } from "./json-object.ts";

/** A JSON Pointer (RFC 6901): the tokens that lead from a document to one of its values. */
export type JsonPointer = readonly string[];

/** Returns the tokens of a JSON Pointer; `undefined` if the text is none. */
export function parseJsonPointer(text: string): JsonPointer | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  const tokens = text.slice(1).split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value that the pointer leads to, or `undefined` if there is none. Only own properties are followed. */
export function valueAt(document: unknown, pointer: JsonPointer): unknown {
  let value = document;
  for (const token of pointer) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,8})$/.test(token) ? value[Number(token)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
  }
  return value;
}
