/** Returns the subjects of the bus. A process may publish and subscribe only to subjects that begin with `muster.`. */
export function subjectsOf(version: number) {
  const root = `muster.bus.${version}`;
  return {
    /** Announcements of processes of any version. */
    all: "muster.bus.all",
    /** The ids of replaced sessions, for the process that has them. */
    replaced: "muster.bus.replaced",
    /** The subject of one process. */
    to: (name: string) => `${root}.to.${name}`,
    /** NATS replies on this subject if `to` has no subscription. */
    away: (name: string, other: string) => `${root}.away.${name}.${other}`,
  };
}

/** The consequences of a missing connection, for the log. */
export const WITHOUT_NATS = {
  consequences: {
    unreachable: "this process exchanges no MQTT messages with other processes until one does",
    broken: "messages for other processes wait",
  },
};
