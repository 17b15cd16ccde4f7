import type { Explanations } from "../../explanations.ts";

/** The explanations by refusal reason; for revoked certificates also by the reason of the revocation. */
export const refusals: Explanations = {
  no_chain: {
    cause:
      "Das Gerät hat sein Zertifikat ohne das Intermediate gesendet, das es ausgestellt hat. Die Verbindung wurde ohne CONNACK geschlossen.",
    cure: "Dem Client das Zertifikat gefolgt von seiner Kette geben: bei den meisten Clients eine Datei, der Inhalt von clientCert und danach der von clientCertChain (fullchain.pem eines Bundles und des Agenten).",
  },
  wrong_ca: {
    cause: "Das Zertifikat wurde nicht von diesem Dienst ausgestellt. Die Verbindung wurde ohne CONNACK geschlossen.",
    cure: "Das Zertifikat installieren, das dieser Dienst dem Gerät ausgestellt hat. Hat das Gerät keines: einen Claim einlösen lassen oder ein Bundle ausstellen.",
  },
  not_yet_valid: {
    cause: "Das Zertifikat wird erst später gültig: die Uhren prüfen. Die Verbindung wurde ohne CONNACK geschlossen.",
    cure: "Die Uhr des Geräts stellen und die des Servers mit einem Zeitserver vergleichen.",
  },
  expired: {
    cause: "Das Zertifikat ist abgelaufen.",
    cure: "Ein Gerät erneuert sein Zertifikat selbst nur, solange es gültig ist. Ein Bundle für das Gerät ausstellen, oder es löschen und einen neuen Claim einlösen lassen.",
  },
  unknown: {
    cause:
      "Das Zertifikat wurde von diesem Dienst ausgestellt, steht aber nicht in seiner Datenbank, zum Beispiel nach einer Wiederherstellung.",
    cure: "Der Dienst kennt dieses Zertifikat nicht mehr, wahrscheinlich weil die Datenbank aus einer Sicherung stammt. Ein Bundle für das Gerät ausstellen.",
  },
  revoked: {
    cause: "Das Zertifikat ist widerrufen, wurde durch eine Erneuerung ersetzt, oder sein Gerät ist gelöscht.",
    cure: "Wurde das Zertifikat durch eine Erneuerung ersetzt: das neuere auf dem Gerät installieren, denn eine alte Kopie ist in Gebrauch. Wurde es widerrufen: prüfen, dass der Schlüssel sicher ist, und ein Bundle ausstellen.",
  },
  "revoked.superseded": {
    cause: "Das Zertifikat wurde durch eine Erneuerung ersetzt: der Client benutzt ein altes.",
    cure: "Das neuere Zertifikat auf dem Gerät installieren. Hat das Gerät es schon, ist anderswo eine Kopie des alten in Gebrauch: den Client an seiner Adresse suchen.",
  },
  "revoked.requested": {
    cause: "Das Zertifikat ist widerrufen.",
    cure: "Prüfen, dass der Schlüssel des Geräts sicher ist, und dann ein Bundle für das Gerät ausstellen.",
  },
  "revoked.device_deleted": {
    cause: "Das Gerät ist gelöscht, und seine Zertifikate sind widerrufen.",
    cure: "Soll es wieder verbinden: das Gerät einen neuen Claim einlösen lassen.",
  },
  client_id_mismatch: {
    cause: "Die Client-ID ist nicht genau die Geräte-ID des Zertifikats.",
    cure: "Als Client-ID genau die Geräte-ID setzen: gleiche Groß- und Kleinschreibung, ohne Leerzeichen, Präfix oder Suffix. Viele Clients erfinden eine, wenn keine gesetzt ist.",
  },
  no_credentials: {
    cause: "Der Client hat weder ein Zertifikat noch Benutzername und Passwort gesendet.",
    cure: "Dem Client eine Datei mit seinem Zertifikat und danach der Kette geben (fullchain.pem), und seinen privaten Schlüssel. Manche Clients senden nichts und melden keinen Fehler, wenn die Datei fehlt, die Kette nicht enthält oder zu einem anderen Dienst gehört. Eine Integration braucht Benutzername und Passwort eines registrierten MQTT-Clients.",
  },
  bad_credentials: {
    cause: "Benutzername, Passwort und Client-ID gehören nicht zu einem registrierten MQTT-Client.",
    cure: "Client-ID, Benutzername und Passwort des MQTT-Clients prüfen: alle drei müssen zu derselben, nicht gesperrten Registrierung gehören. Das Passwort wird nur einmal gezeigt; ein verlorenes ersetzen.",
  },
  client_suspended: {
    cause:
      "Der MQTT-Client ist gesperrt: wer ihn registriert oder zuletzt freigegeben hat, ist kein aktiver Administrator mehr.",
    cure: "Wird der Client noch gebraucht, gibt ihn ein Administrator frei und steht von da an für ihn ein; das Passwort bleibt. Sonst den Client löschen.",
  },
  topic_not_authorised: {
    cause:
      "Der Client hat ein Topic veröffentlicht, abonniert oder für seinen Letzten Willen gesetzt, das nicht auf seiner Liste steht.",
    cure: "Das Topic mit den Topics vergleichen, auf denen das Gerät veröffentlichen darf. Sie kommen vom Gerätetyp, wenn ein Zertifikat ausgestellt wird: den Typ setzen, das Zertifikat erneuern oder neu ausstellen lassen und neu verbinden.",
  },
  retained_quota: {
    cause:
      "Die Organisation hat so viele Retained-Nachrichten, oder so viele Bytes davon, wie sie haben darf. Die Nachricht wurde zugestellt und nicht behalten.",
    cure: "Ohne Retain-Flag veröffentlichen, oder nicht mehr gebrauchte Retained-Nachrichten durch eine leere ersetzen.",
  },
  session_quota: {
    cause:
      "Die Organisation hat in diesem Prozess so viele Sitzungen, wie sie haben darf. Der Client wurde nicht verbunden.",
    cure: "Nicht gebrauchte Clients trennen oder MUSTER_LIMIT_MQTT_SESSIONS_PER_TENANT erhöhen. Clients mit einer Sitzung können neu verbinden.",
  },
  takeover: {
    cause:
      "Die Client-ID hat sich erneut verbunden, was ihre frühere Sitzung geschlossen hat. Die Adresse ist die der neuen Sitzung.",
    cure: "Nach einer neuen Verbindung ist nichts zu tun. Wiederholt es sich, benutzen zwei Clients dieselbe Client-ID: den zweiten an der Adresse suchen und sein Zertifikat widerrufen, wenn es eine Kopie ist.",
  },
  unavailable: {
    cause: "Die Datenbank hat nicht geantwortet. Das wird nur gezählt, denn das Journal ist in der Datenbank.",
    cure: "Am Gerät ist nichts zu tun: es kann wieder verbinden, sobald die Datenbank antwortet.",
  },
};
