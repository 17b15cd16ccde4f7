import { randomIds } from "../../lib/ids.ts";
import { createDeviceRoot, createIssuingIntermediate, type OwnCertificate, VALID_DAYS } from "../issue/hierarchy.ts";
import { newSerialNumber } from "../issue/serial.ts";
import { fileSigner, type Signer } from "../issue/signer.ts";

/** A time for tests, with a fraction of a second that certificates cannot represent. */
export const NOW = new Date("2026-11-20T21:00:00.789Z");

export interface TestAuthority {
  readonly root: OwnCertificate;
  readonly intermediate: OwnCertificate;
  readonly signer: Signer;
}

export function serial(): string {
  return newSerialNumber(randomIds);
}

/** Creates a device root with one intermediate at `now`. */
export function newAuthority(now = NOW, intermediateDays: number = VALID_DAYS.issuingIntermediate): TestAuthority {
  const root = createDeviceRoot({ name: "Test Root", now, validDays: VALID_DAYS.deviceRoot, serialNumber: serial() });
  const intermediate = createIssuingIntermediate(
    { name: "Test Issuing", now, validDays: intermediateDays, serialNumber: serial() },
    root,
  );
  return { root, intermediate, signer: fileSigner(intermediate.certificateDer, intermediate.privateKey) };
}
