import type { Symptoms } from "../../explanations.ts";

/** The symptoms at devices, by code. */
export const symptoms: Symptoms = {
  handshake_fails: {
    symptom: "Der TLS-Handshake scheitert sofort",
    cause:
      "Das Gerät zeigt sein Zertifikat ohne das Intermediate, das es ausgestellt hat, oder ein Zertifikat einer anderen CA.",
    cure: "Das Zertifikat zusammen mit seiner Kette zeigen: clientCert, danach clientCertChain, in einer Datei.",
  },
  broker_not_verified: {
    symptom: "Das Gerät meldet, dass es das Zertifikat des Brokers nicht prüfen kann",
    cause:
      "Das Gerät vertraut einer anderen CA als der, die das Zertifikat des Brokers ausgestellt hat, verbindet zu einem Namen, der nicht darin steht, oder seine Uhr geht falsch.",
    cure: "Dem Gerät serverCaBundle als einzige vertraute CAs geben, zum Host der Adresse des Brokers verbinden und die Uhr stellen.",
  },
  closed_after_tls: {
    symptom: "TLS gelingt, dann schließt die Verbindung",
    cause:
      "Die Client-ID ist nicht genau die Geräte-ID, oder das Zertifikat ist widerrufen, durch eine Erneuerung ersetzt oder nicht bekannt.",
    cure: "Die Client-ID auf die Geräte-ID setzen. Ist das Zertifikat widerrufen: ein Bundle für das Gerät ausstellen.",
  },
  no_longer_connects: {
    symptom: "Das Gerät war verbunden und kann es später nicht mehr, obwohl nichts widerrufen wurde",
    cause: "Das Zertifikat ist abgelaufen: das Gerät hat es nicht rechtzeitig erneuert.",
    cure: "Ein Bundle für das Gerät ausstellen. Danach das Gerät ab renewAfterUtc erneuern lassen.",
  },
  closed_on_use: {
    symptom: "Das Gerät verbindet, und beim Veröffentlichen oder Abonnieren schließt die Verbindung",
    cause: "Das Topic steht nicht auf der Liste des Zertifikats.",
    cure: "Den Gerätetyp setzen, dessen Topics ein Zertifikat bei der Ausstellung übernimmt; dann das Gerät erneuern und neu verbinden lassen.",
  },
  disconnected_again: {
    symptom: "Das Gerät verbindet und wird immer wieder getrennt",
    cause: "Ein zweiter Client verbindet unter derselben Client-ID, und jeder schließt die Sitzung des anderen.",
    cure: "Den zweiten Client an seiner Adresse suchen und anhalten. Benutzt er eine Kopie des Zertifikats: sie widerrufen.",
  },
};
