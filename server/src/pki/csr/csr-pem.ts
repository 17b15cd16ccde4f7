import { records } from "../../lib/limits/records.ts";
import { invalidCsr } from "../errors.ts";

const MAX_CHARACTERS = records.csrCharacters.value;
const BEGIN = "-----BEGIN CERTIFICATE REQUEST-----";
const END = "-----END CERTIFICATE REQUEST-----";
const PLAIN_TEXT = /^[\t\r\n\x20-\x7e]*$/;
const BLANKS_AROUND = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/**
 * Decodes `pem`, which must be exactly one `CERTIFICATE REQUEST` block (RFC 7468 section 7, strict form: lines of one
 * length, canonical base64). Throws `invalid_csr`.
 */
export function decodeCsrPem(pem: string): Buffer {
  if (pem.length > MAX_CHARACTERS) throw invalidCsr("The CSR is longer than 8 KiB.");
  if (!PLAIN_TEXT.test(pem)) throw invalidCsr("The CSR contains characters that are not plain ASCII text.");
  if (pem.includes("NEW CERTIFICATE REQUEST")) {
    throw invalidCsr("The CSR is labelled NEW CERTIFICATE REQUEST, as keytool does; label it CERTIFICATE REQUEST.");
  }
  const block = pem.replace(BLANKS_AROUND, "");
  if (!block.startsWith(BEGIN) || !block.endsWith(END) || block.length < BEGIN.length + END.length) {
    throw invalidCsr("The CSR is not exactly one PEM block labelled CERTIFICATE REQUEST.");
  }
  const body = block.slice(BEGIN.length, -END.length);
  if (body.includes("-")) throw invalidCsr("The CSR contains more than one PEM block.");
  return decodeBody(body);
}

function decodeBody(body: string): Buffer {
  const lines = body.split(/\r?\n/);
  if (lines.length < 3 || lines.shift() !== "" || lines.pop() !== "") {
    throw invalidCsr("The CSR's PEM markers are not on lines of their own.");
  }
  const width = lines[0]!.length;
  const even = lines.every((line, at) => line.length === width || (at === lines.length - 1 && line.length < width));
  const base64 = lines.join("");
  const der = Buffer.from(base64, "base64");
  // Re-encoding and comparing proves the alphabet, the padding, and that the unused bits under the padding are zero.
  if (!even || der.length === 0 || der.toString("base64") !== base64) {
    throw invalidCsr("The CSR's PEM block is not strict base64.");
  }
  return der;
}
