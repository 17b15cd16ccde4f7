/** The nonce of this page, which its policy asks of every `<style>` element. The attribute's text is hidden from scripts; the property is not. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
