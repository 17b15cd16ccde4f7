import type { Explanations } from "../../explanations.ts";

/** The explanations by kind of finding. */
export const findings: Explanations = {
  shared_key: {
    cause:
      "Der private Schlüssel des Zertifikats ist auch auf einem anderen Gerät in Gebrauch: er wurde kopiert oder schlecht erzeugt.",
    cure: "Das Gerät mit einem neuen Schlüssel erneuern lassen. Wurde ein Schlüssel absichtlich kopiert: das Zertifikat widerrufen, das es nicht geben sollte.",
  },
  publishes_nowhere: {
    cause:
      "Das Zertifikat des Geräts erlaubt kein Topic: als es ausgestellt wurde, hatte das Gerät keinen Typ oder der Typ keine Topics.",
    cure: "Den Gerätetyp und seine Topics setzen, dann das Zertifikat erneuern oder neu ausstellen lassen und das Gerät neu verbinden.",
  },
  renewal_overdue: {
    cause:
      "Das Gerät hätte sein Zertifikat vor mindestens einem Tag erneuern sollen. Läuft es ab, wird das Gerät abgewiesen.",
    cure: "Prüfen, dass das Gerät online ist und sein Agent die Adresse für Erneuerungen erreicht, oder ein Bundle ausstellen.",
  },
  bundle_expiring: {
    cause:
      "Das Zertifikat des Geräts ist ein Bundle, das in 30 Tagen oder früher endet. Das Gerät erneuert es nicht selbst und wird danach abgewiesen.",
    cure: "Ein neues Bundle ausstellen, auf dem Gerät installieren, die Verbindung abwarten und dann das alte widerrufen.",
  },
  clock_replaced: {
    cause:
      "Das Gerät hat eine Zeit gesendet, die mehr als 10 Minuten voraus oder mehr als 30 Tage alt ist. Seine Werte sind mit der Zeit des Servers gespeichert.",
    cure: "Die Uhr des Geräts stellen oder die Zeit in seinen Nachrichten weglassen.",
  },
  values_rejected: {
    cause:
      "Das Gerät hat in den letzten 24 Stunden Werte gesendet, die nicht gespeichert sind, weil sie keine Telemetrie oder zu viele sind.",
    cure: "Die abgelehnten Nachrichten des Geräts öffnen: jede nennt die Felder und den Grund. Ändern, was es sendet.",
  },
  server_root_missing: {
    cause:
      "Das Gerät hat nicht gezeigt, dass es das neue Root des Servers hat. Sobald der Broker es benutzt, kann das Gerät den Broker nicht prüfen.",
    cure: "Das Gerät sein Zertifikat erneuern und verbinden lassen: die Antwort enthält das Root in ihrem CA-Bündel. Einem Gerät mit Bundle ein neues geben.",
  },
  topics_changed: {
    cause:
      "Die Topics des Gerätetyps, oder der Typ selbst, haben sich geändert, seit das Zertifikat ausgestellt wurde. Der Broker setzt die Topics des Zertifikats durch.",
    cure: "Das Gerät sein Zertifikat erneuern lassen oder ein neues Bundle ausstellen: das neue hat die heutigen Topics. Danach neu verbinden.",
  },
};
