const REFUSALS: readonly (readonly [code: string, cure: string])[] = [
  ["claim_expired", "The code was redeemed too late. Create another claim."],
  ["claim_exhausted", "Every use is spent: the devices above have it. Create another claim."],
  ["claim_revoked", "An administrator or a program revoked it. Create another claim if that was a mistake."],
  ["invalid_claim_code", "The code was mistyped, or is of another service. It has three groups of four characters."],
  [
    "reenrollment_proof_required",
    "A device with this hardware fingerprint has enrolled before. It must present its valid certificate; if that is lost, delete the device and let it enroll again.",
  ],
  ["rate_limited", "Too many unknown codes came from the address of the device. Wait ten minutes."],
];

/** What a device may be answered, and what to do. */
export function Refused() {
  return (
    <details>
      <summary>When the device is refused</summary>
      <dl>
        {REFUSALS.map(([code, cure]) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{cure}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
