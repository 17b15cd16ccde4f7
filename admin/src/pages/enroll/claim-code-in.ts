const CODE = /^CLAIM(-[0-9A-Z]{4}){3}$/;

/**
 * Returns the claim code of an address's fragment. Any other text is rejected, because it would be put into commands.
 */
export function claimCodeIn(fragment: string): string | undefined {
  const code = fragment.replace(/^#/, "");
  return CODE.test(code) ? code : undefined;
}
