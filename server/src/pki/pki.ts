/**
 * The certificate authority: reads CSRs, issues leaves, makes authorities and server certificates, keeps keys encrypted.
 * It knows no tenant, no SQL and no HTTP; what it returns becomes valid only once `enrollment` has recorded it.
 */
export { issueLeaf, type LeafCertificate, type LeafRequest } from "./certificate.ts";
export { type CsrResult, readCsr } from "./csr.ts";
export { type DeviceKey, generateDeviceKey, newPassphrase } from "./device-key.ts";
export type { PkiErrorCode } from "./errors.ts";
export {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  type IssuingPair,
  type NewCertificate,
  type OwnCertificate,
  VALID_DAYS,
} from "./hierarchy.ts";
export type { IssuerCertificate } from "./issuer.ts";
export { checkMasterKey, decryptPrivateKey, deriveKey, encryptPrivateKey, masterKeyCheck } from "./keystore.ts";
export { certificatePem, certificatesFromPem } from "./pem.ts";
export { buildPkcs12, type Pkcs12Contents } from "./pkcs12.ts";
export { type LeafProfile, type LeafValidity, leafValidity, platform, selfEnrolled } from "./profiles.ts";
export { type CertificateFacts, readCertificate } from "./read-certificate.ts";
export { isSerialNumber, newSerialNumber } from "./serial.ts";
export { fileSigner, type Signer } from "./signer.ts";
export { type ChainProblem, type ChainResult, verifyClientChain } from "./verify.ts";
