/**
 * Returns the policy of the app's pages: everything from this service only, and nothing inline except `<style>`
 * elements with the answer's nonce (the component library writes its variables into one).
 */
export function appPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
