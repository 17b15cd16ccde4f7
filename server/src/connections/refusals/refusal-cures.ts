import { REFUSAL_REASONS, type RefusalReason } from "./refusal-reasons.ts";
import type { RevocationReason } from "./refusal-store.ts";

/** The text that explains a refusal to a person. */
interface Explanation {
  cause: string;
  cure: string;
}

/** The explanations for a revoked certificate, by revocation reason. */
const REVOKED: Readonly<Record<RevocationReason, Explanation>> = {
  superseded: {
    cause: "The certificate was replaced by a renewal: the client uses an old one.",
    cure: "Install the newer certificate on the device. If the device has it, a copy of the old one is in use elsewhere: find that client by its address.",
  },
  requested: {
    cause: "The certificate is revoked.",
    cure: "Issue a bundle for the device, after checking that its key is safe.",
  },
  device_deleted: {
    cause: "The device is deleted, and its certificates are revoked.",
    cure: "Let the device redeem a new claim, if it is to connect again.",
  },
};

/** The cure for each refusal reason, for the person who maintains the device (spec 7, broker-side symptoms). */
const CURES: Readonly<Record<RefusalReason, string>> = {
  no_chain:
    "Give the client the certificate followed by its chain: with most clients one file, the content of clientCert and then that of clientCertChain (fullchain.pem of a bundle and of the agent).",
  wrong_ca:
    "Install the certificate that this service issued to the device. If the device has none, let it redeem a claim, or issue a bundle for it.",
  not_yet_valid: "Set the device's clock, and compare the server's clock with a time server.",
  expired:
    "A device renews its own certificate only while it is valid. Issue a bundle for the device, or let it redeem a new claim after the device has been deleted.",
  unknown:
    "The service does not know this certificate any more, most likely because the database was restored from a backup. Issue a bundle for the device.",
  revoked:
    "If the certificate was replaced by a renewal, install the newer one on the device: an old copy is in use. If it was revoked, issue a bundle for the device, after checking that its key is safe.",
  client_id_mismatch:
    "Set the client id to exactly the device id, in the same case, without spaces, prefix or suffix. Many clients make one up when none is set.",
  no_credentials:
    "Give the client one file with its certificate and then its chain (fullchain.pem), and its private key. Some clients send nothing, and report no error, if the file is missing, lacks the chain or belongs to another service. An integration needs the user name and password of a registered MQTT client.",
  bad_credentials:
    "Check client id, user name and password of the MQTT client: all three must be those of one registration that is not disabled. The password is shown only once; replace it if it is lost.",
  client_suspended:
    "If the client is still wanted, an administrator enables it and answers for it from then on; it keeps its password. Otherwise delete it.",
  topic_not_authorised:
    "Compare the topic with the device's publish topics. They are taken from the device type when a certificate is issued: set the type, then have the certificate renewed or issued again, and reconnect.",
  retained_quota:
    "Publish with the retain flag off, or clear retained messages that are not needed by publishing an empty retained one.",
  session_quota:
    "Disconnect clients that are not needed, or raise MUSTER_LIMIT_MQTT_SESSIONS_PER_TENANT. Clients that have a session can reconnect.",
  takeover:
    "Nothing to do after a reconnect. If it repeats, two clients use the same client id: find the second one by the address, and revoke its certificate if it is a copy.",
  unavailable: "Nothing to do on the device: it may connect again when the database answers.",
};

/**
 * Explains why the client was refused and what to do, in sentences. A reason recorded by another version is only named.
 *
 * @param revocation the reason why the presented certificate was revoked, if known
 */
export function explainRefusal(reason: string, revocation?: RevocationReason | undefined): Explanation {
  if (reason === "revoked" && revocation !== undefined) return REVOKED[revocation];
  return isKnown(reason)
    ? { cause: `${REFUSAL_REASONS[reason]}.`, cure: CURES[reason] }
    : {
        cause: `The client was refused: ${reason}.`,
        cure: "This reason was recorded by another version of the service.",
      };
}

function isKnown(reason: string): reason is RefusalReason {
  return Object.hasOwn(REFUSAL_REASONS, reason);
}
