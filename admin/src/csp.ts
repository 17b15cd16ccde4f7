/**
 * The nonce that the policy of this page requires of every `<style>` element. Scripts can read the property, but not
 * the attribute.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
