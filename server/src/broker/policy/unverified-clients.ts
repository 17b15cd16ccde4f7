import type { Authorities } from "../../authorities/authorities.ts";
import type { Certificates } from "../../certificates/certificates.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { chainProblem } from "./chain-problem.ts";
import type { CertificateCredential } from "./policy.ts";
import type { RefusalSubject, Refusals } from "./record-refusals.ts";

export interface UnverifiedClientsDeps {
  certificates: Pick<Certificates, "identifyDevice">;
  authorities: Pick<Authorities, "intermediatesDer">;
  refusals: Refusals;
}

/**
 * The limit on concurrent look-ups of a tenant, each of which costs a query. Beyond it, a refusal is recorded without a
 * tenant.
 */
const MAX_LOOK_UPS = DEFAULT_LIMITS.refusalLookUps;

/** Records clients whose certificate TLS did not verify, under the certificate's tenant if the certificate is known. */
export class UnverifiedClients {
  readonly #deps: UnverifiedClientsDeps;
  #lookUps = 0;

  constructor(deps: UnverifiedClientsDeps) {
    this.#deps = deps;
  }

  record(credential: CertificateCredential, remoteAddress: string): void {
    const { authorities, refusals } = this.#deps;
    const reason = chainProblem(credential, authorities.intermediatesDer());
    const record = (concerned: RefusalSubject) => refusals.record({ reason, remoteAddress, ...concerned });
    if (this.#lookUps >= MAX_LOOK_UPS) {
      record({});
      return;
    }
    this.#lookUps++;
    this.#subjectOf(credential)
      .then(record, () => record({}))
      .finally(() => {
        this.#lookUps--;
      });
  }

  async #subjectOf(credential: CertificateCredential): Promise<RefusalSubject> {
    const device = await this.#deps.certificates.identifyDevice(credential);
    if (device.ok) return {};
    const { tenantId, deviceId, serialNumber, fingerprintSha256 } = device;
    return { tenantId, deviceId, serialNumber, fingerprintSha256 };
  }
}
