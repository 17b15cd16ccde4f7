import type { Bundle } from "../../api/certificates.ts";

type BundleFiles = Readonly<Record<string, string>>;

/** Returns the files of a bundle by name, in the form of clients: the certificate with its chain in one file. */
function filesOf(bundle: Bundle): BundleFiles {
  const { clientCertPem, clientCertChainPem, privateKeyPem, serverCaBundlePem } = bundle;
  return {
    "key.pem": privateKeyPem,
    "fullchain.pem": joined(clientCertPem, clientCertChainPem),
    "cert.pem": clientCertPem,
    "chain.pem": clientCertChainPem,
    "ca.pem": serverCaBundlePem,
  };
}

function joined(leaf: string, chain: string): string {
  return `${leaf.trimEnd()}\n${chain.trimEnd()}\n`;
}

/** Returns the files of `bundle` in one archive, made in the browser. The code of the archiver is loaded on demand. */
export async function zipOf(bundle: Bundle): Promise<Uint8Array<ArrayBuffer>> {
  const { strToU8, zipSync } = await import("fflate");
  const files = Object.entries(filesOf(bundle)).map(([name, text]) => [`${bundle.deviceId}/${name}`, strToU8(text)]);
  return new Uint8Array(zipSync(Object.fromEntries(files)));
}

export function pkcs12Of({ pkcs12Base64 }: Bundle): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(pkcs12Base64), (character) => character.charCodeAt(0));
}
