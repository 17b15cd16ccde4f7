/** Subjects of the bus. A process may publish and subscribe to what begins with `muster.`; nothing else. */
export function subjectsOf(version: number) {
  const root = `muster.bus.${version}`;
  return {
    /** Processes of any version announce themselves. */
    all: "muster.bus.all",
    /** For one process. */
    to: (name: string) => `${root}.to.${name}`,
    /** NATS answers here that `to` has no subscription. */
    away: (name: string, other: string) => `${root}.away.${name}.${other}`,
  };
}
