/** What a pump's sensors say: mm/s, °C, bar. */
export interface Reading {
  vibration: number;
  temperature: number;
  pressure: number;
}

/** The next reading: each value wanders about where it belongs. `chance` is in 0…1. */
export function wander(reading: Reading, normal: Reading, chance: () => number): Reading {
  const step = (value: number, home: number, by: number) =>
    Math.round((value + (home - value) / 2 + (chance() - 0.5) * by) * 100) / 100;
  return {
    vibration: step(reading.vibration, normal.vibration, 0.4),
    temperature: step(reading.temperature, normal.temperature, 1),
    pressure: step(reading.pressure, normal.pressure, 0.2),
  };
}

/** Where the values of a pump belong whose bearing is worn by so much: 0 is sound, 6 is past every limit. */
export function worn(sound: Reading, wear: number): Reading {
  return {
    vibration: sound.vibration + wear,
    temperature: sound.temperature + wear * 3,
    pressure: sound.pressure - wear / 10,
  };
}
