import { isAscii, isUtf8 } from "node:buffer";
import { type DerElement, DerError, TAG } from "./der-reader.ts";

const MAX_DEPTH = 12;
const CONSTRUCTED = 0x20;
const CLASS = 0xc0;

/**
 * Throws DerError for an element that is not DER at every level. It checks the parts of a CSR whose content is not used
 * (subject, attributes): if these were malformed, two readers could see two different requests.
 */
export function checkWellFormed(element: DerElement, depth = 0): void {
  if (depth > MAX_DEPTH) throw new DerError("The DER is nested too deeply.");
  if ((element.tag & CLASS) === 0) checkUniversal(element);
  if ((element.tag & CONSTRUCTED) === 0) return;
  const reader = element.enter();
  while (reader.more) checkWellFormed(reader.next(), depth + 1);
}

function checkUniversal(element: DerElement): void {
  const constructed = (element.tag & CONSTRUCTED) !== 0;
  if (constructed !== (element.tag === TAG.sequence || element.tag === TAG.set)) {
    throw new DerError("The DER splits a value that must be whole.");
  }
  if (!constructed && !isPrimitiveValid(element))
    throw new DerError("The DER contains a value that is not valid for its type.");
}

function isPrimitiveValid(element: DerElement): boolean {
  const value = element.content();
  switch (element.tag) {
    case TAG.boolean:
      return value.length === 1 && (value[0] === 0x00 || value[0] === 0xff);
    case TAG.integer:
      return isMinimalInteger(value);
    case TAG.bitString:
      return isBitString(value);
    case TAG.null:
      return value.length === 0;
    case TAG.oid:
      return isOid(value);
    case TAG.utf8String:
      return isUtf8(value) && !hasControl(value);
    case TAG.numericString:
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.visibleString:
      return isAscii(value) && !hasControl(value);
    case TAG.bmpString:
      return value.length % 2 === 0;
    case TAG.universalString:
      return value.length % 4 === 0;
    default:
      return element.tag !== (TAG.sequence & ~CONSTRUCTED) && element.tag !== (TAG.set & ~CONSTRUCTED);
  }
}

/** Returns whether an INTEGER is encoded in the fewest octets (X.690 8.3.2). */
export function isMinimalInteger(value: Buffer): boolean {
  if (value.length < 2) return value.length === 1;
  return !((value[0] === 0x00 && value[1]! < 0x80) || (value[0] === 0xff && value[1]! >= 0x80));
}

function isBitString(value: Buffer): boolean {
  const unused = value[0];
  if (unused === undefined || unused > 7) return false;
  if (value.length === 1) return unused === 0;
  return (value[value.length - 1]! & ((1 << unused) - 1)) === 0;
}

/** Returns whether the sub-identifiers are base 128 and minimal, and the last one is complete (X.690 8.19.2). */
function isOid(value: Buffer): boolean {
  if (value.length === 0 || value[value.length - 1]! >= 0x80) return false;
  return value.every((octet, at) => octet !== 0x80 || (at > 0 && value[at - 1]! >= 0x80));
}

function hasControl(value: Buffer): boolean {
  return value.some((octet) => octet < 0x20 || octet === 0x7f);
}
