import { contextTag, type DerElement, DerError, type DerReader, TAG } from "../der/der-reader.ts";
import { KEY_USAGE, OID } from "../der/oids.ts";

/** The extensions of a certificate that matter here (RFC 5280 4.2). */
export interface ExtensionFacts {
  readonly isCa: boolean;
  /** The number of authorities allowed below this one; `undefined` if it sets no limit. */
  readonly pathLength: number | undefined;
  /** `undefined` if the extension is absent, which allows every use. */
  readonly keyUsage: { readonly digitalSignature: boolean; readonly keyCertSign: boolean } | undefined;
  /** The purposes as complete OID elements; `undefined` if the extension is absent. */
  readonly extendedKeyUsage: readonly Buffer[] | undefined;
  readonly subjectKeyIdentifier: Buffer | undefined;
  readonly authorityKeyIdentifier: Buffer | undefined;
  /** Whether it has an unknown critical extension; such a certificate must be refused (RFC 5280 4.2). */
  readonly hasUnknownCritical: boolean;
}

type Draft = { -readonly [Field in keyof ExtensionFacts]: ExtensionFacts[Field] };

/** Reads the optional `[3]` field of a TBSCertificate. Throws DerError; no extension may occur twice. */
export function readExtensions(tbs: DerReader): ExtensionFacts {
  const facts: Draft = {
    isCa: false,
    pathLength: undefined,
    keyUsage: undefined,
    extendedKeyUsage: undefined,
    subjectKeyIdentifier: undefined,
    authorityKeyIdentifier: undefined,
    hasUnknownCritical: false,
  };
  if (tbs.tag !== contextTag(3)) return facts;
  const field = tbs.next().enter();
  const list = field.read(TAG.sequence, "certificate's extensions").enter();
  field.finish("certificate's extensions");
  const seen = new Set<string>();
  while (list.more) readExtension(list.read(TAG.sequence, "certificate's extension"), facts, seen);
  return facts;
}

function readExtension(element: DerElement, facts: Draft, seen: Set<string>): void {
  const reader = element.enter();
  const key = reader.read(TAG.oid, "extension's type").whole().toString("latin1");
  const critical = reader.tag === TAG.boolean && reader.next().content()[0] === 0xff;
  const value = reader.read(TAG.octetString, "extension's value").enter();
  reader.finish("certificate's extension");
  if (seen.has(key)) throw new DerError("The certificate contains an extension twice.");
  seen.add(key);
  const read = READERS.get(key);
  if (read === undefined) facts.hasUnknownCritical ||= critical;
  else read(value, facts);
}

const READERS: ReadonlyMap<string, (value: DerReader, facts: Draft) => void> = new Map([
  [OID.basicConstraints.toString("latin1"), readBasicConstraints],
  [OID.keyUsage.toString("latin1"), readKeyUsage],
  [OID.extendedKeyUsage.toString("latin1"), readExtendedKeyUsage],
  [OID.subjectKeyIdentifier.toString("latin1"), readSubjectKeyIdentifier],
  [OID.authorityKeyIdentifier.toString("latin1"), readAuthorityKeyIdentifier],
  [OID.subjectAltName.toString("latin1"), () => {}],
]);

function readBasicConstraints(value: DerReader, facts: Draft): void {
  const fields = value.read(TAG.sequence, "basic constraints").enter();
  if (fields.tag === TAG.boolean) facts.isCa = fields.next().content()[0] === 0xff;
  if (fields.tag === TAG.integer) {
    const limit = fields.next().content();
    if (limit.length !== 1 || limit[0]! >= 0x80) throw new DerError("The certificate's path length is out of range.");
    facts.pathLength = limit[0]!;
  }
  fields.finish("basic constraints");
}

function readKeyUsage(value: DerReader, facts: Draft): void {
  const first = value.read(TAG.bitString, "key usage").content()[1] ?? 0;
  const has = (bit: number) => (first & (0x80 >> bit)) !== 0;
  facts.keyUsage = { digitalSignature: has(KEY_USAGE.digitalSignature), keyCertSign: has(KEY_USAGE.keyCertSign) };
}

function readExtendedKeyUsage(value: DerReader, facts: Draft): void {
  const purposes = value.read(TAG.sequence, "extended key usage").enter();
  const list: Buffer[] = [];
  while (purposes.more) list.push(purposes.read(TAG.oid, "key purpose").whole());
  facts.extendedKeyUsage = list;
}

function readSubjectKeyIdentifier(value: DerReader, facts: Draft): void {
  facts.subjectKeyIdentifier = value.read(TAG.octetString, "subject key identifier").content();
}

function readAuthorityKeyIdentifier(value: DerReader, facts: Draft): void {
  const fields = value.read(TAG.sequence, "authority key identifier").enter();
  if (fields.tag === contextTag(0, false)) facts.authorityKeyIdentifier = fields.next().content();
}
