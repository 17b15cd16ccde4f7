/**
 * The certificate authority: validates CSRs, issues leaves, creates authorities and server certificates, and seals
 * private keys. It knows no tenants, SQL or HTTP. A certificate that it returns is accepted only once it is recorded in
 * the database.
 */

export { type CsrResult, readCsr } from "./csr/read-csr.ts";
export {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  type IssuingPair,
  type NewCertificate,
  type OwnCertificate,
  VALID_DAYS,
} from "./issue/hierarchy.ts";
export { issueLeaf, type LeafCertificate } from "./issue/issue-leaf.ts";
export { nameCarrier } from "./issue/name-carrier.ts";
export { type LeafProfile, platform, selfEnrolled } from "./issue/profiles.ts";
export { newSerialNumber } from "./issue/serial.ts";
export { fileSigner, type Signer } from "./issue/signer.ts";
export { type DeviceKey, generateDeviceKey, newPassphrase } from "./keys/device-key.ts";
export { deriveKey, isMasterKeyOf, masterKeyCheck, wrongMasterKey } from "./keys/keystore.ts";
export { buildPkcs12 } from "./keys/pkcs12.ts";
export { openKey, openPrivateKey, openSecret, sealKey, sealPrivateKey, sealSecret } from "./keys/sealed-key.ts";
export { certificatePem, certificatesFromPem } from "./pem.ts";
export { type CertificateFacts, readCertificate } from "./verify/read-certificate.ts";
export { verifyClientChain } from "./verify/verify-chain.ts";
