/** Subjects of the bus. A process may publish and subscribe to what begins with `muster.`; nothing else. */
export function subjectsOf(version: number) {
  const root = `muster.bus.${version}`;
  return {
    /** Processes of any version announce themselves. */
    all: "muster.bus.all",
    /** Ids of sessions that have been replaced, for the process that has them. */
    replaced: "muster.bus.replaced",
    /** For one process. */
    to: (name: string) => `${root}.to.${name}`,
    /** NATS answers here that `to` has no subscription. */
    away: (name: string, other: string) => `${root}.away.${name}.${other}`,
  };
}

/** What follows while there is no connection, for the log. */
export const WITHOUT_NATS = {
  consequences: {
    unreachable: "this process exchanges no MQTT messages with other processes until one does",
    broken: "messages for other processes wait",
  },
};
