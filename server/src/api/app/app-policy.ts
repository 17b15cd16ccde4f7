/**
 * The policy of the app's pages: everything from this service only, nothing inline but the `<style>` elements that carry the answer's
 * nonce (the component library writes its variables into one).
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
