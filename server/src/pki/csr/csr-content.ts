import { type DerElement, DerError, TAG } from "../der/der-reader.ts";
import { OID } from "../der/oids.ts";
import { checkWellFormed } from "../der/well-formed.ts";

/**
 * Checks a Name (RFC 5280 4.1.2.4): non-empty sets of type and value. Its content is not used, so only well-formed DER
 * is required, not lengths and character sets; several toolchains write `_` into a PrintableString.
 */
export function checkName(name: DerElement): void {
  const rdns = name.enter();
  while (rdns.more) {
    const rdn = rdns.read(TAG.set, "relative distinguished name").enter();
    do checkNamePart(rdn.read(TAG.sequence, "part of the name"));
    while (rdn.more);
  }
}

const NAME_VALUE_TAGS: ReadonlySet<number> = new Set([
  TAG.utf8String,
  TAG.printableString,
  TAG.ia5String,
  TAG.numericString,
  TAG.teletexString,
  TAG.bmpString,
  TAG.universalString,
]);

function checkNamePart(part: DerElement): void {
  const reader = part.enter();
  checkWellFormed(reader.read(TAG.oid, "type of a name's part"));
  const value = reader.next();
  reader.finish("part of the name");
  if (!NAME_VALUE_TAGS.has(value.tag)) throw new DerError("The name contains a value that is not a string.");
  checkWellFormed(value);
}

/**
 * Checks attributes (RFC 2986 4.1): each is an object identifier that occurs once, with at least one value. Their order
 * is not checked: DER sorts a SET OF, but Go and @peculiar/x509 do not.
 */
export function checkAttributes(attributes: DerElement): void {
  const reader = attributes.enter();
  const seen = new Set<string>();
  while (reader.more) {
    const attribute = reader.read(TAG.sequence, "CSR's attribute").enter();
    const type = attribute.read(TAG.oid, "type of a CSR's attribute");
    checkWellFormed(type);
    const values = attribute.read(TAG.set, "value of a CSR's attribute");
    attribute.finish("CSR's attribute");
    if (values.length === 0) throw new DerError("The CSR contains an attribute without a value.");
    checkWellFormed(values);
    refuseRepeated(seen, type, "The CSR contains an attribute twice.");
    if (type.whole().equals(OID.extensionRequest)) checkRequestedExtensions(values);
  }
}

/** Checks an ExtensionReq: one list of extensions, none twice (RFC 5280 4.2). None of them is granted. */
function checkRequestedExtensions(values: DerElement): void {
  const reader = values.enter();
  const extensions = reader.read(TAG.sequence, "list of requested extensions").enter();
  reader.finish("CSR's extension request");
  const seen = new Set<string>();
  while (extensions.more) {
    const extension = extensions.read(TAG.sequence, "requested extension").enter();
    refuseRepeated(
      seen,
      extension.read(TAG.oid, "type of a requested extension"),
      "The CSR requests an extension twice.",
    );
    if (extension.tag === TAG.boolean && extension.next().content()[0] !== 0xff) {
      throw new DerError("The CSR spells out a default value, which DER forbids.");
    }
    extension.read(TAG.octetString, "value of a requested extension");
    extension.finish("requested extension");
  }
}

function refuseRepeated(seen: Set<string>, type: DerElement, sentence: string): void {
  const key = type.content().toString("latin1");
  if (seen.has(key)) throw new DerError(sentence);
  seen.add(key);
}
