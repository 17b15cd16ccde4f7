const MOST_CHARACTERS = 50;
/**
 * Everything except letters, digits, blanks and the punctuation of names. Slashes, colons, `@`, quotes, brackets,
 * controls and bidi marks are replaced.
 */
const OTHERS = /[^\p{L}\p{M}\p{N} .,&'()_-]+/gu;
/** A dot from which a mail client could make a link: one that no blank follows. */
const JOINING_DOTS = /\.(?! |$)/g;
/** Seven or more digits, however grouped: phones turn them into links. */
const TELEPHONE_NUMBER = /\p{Nd}(?:[ .,'()_-]*\p{Nd}){6,}/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * Shortens a name that a user chose, such as a tenant's, for a mail to a person who may have nothing to do with the
 * tenant. The result is one line of at most 50 characters that no mail client turns into a link, and that cannot close
 * the quotation marks around it.
 */
export function nameInMail(name: string): string {
  const plain = name
    .toWellFormed()
    .normalize("NFKC")
    .replace(OTHERS, " ")
    .replace(JOINING_DOTS, " ")
    .replace(TELEPHONE_NUMBER, "…")
    .replace(STACKED_MARKS, "$1")
    .replace(/ +/g, " ")
    .trim();
  const characters = [...plain];
  if (characters.length <= MOST_CHARACTERS) return plain || "…";
  return `${characters
    .slice(0, MOST_CHARACTERS - 1)
    .join("")
    .trim()}…`;
}
