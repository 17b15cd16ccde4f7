/** The values of a pump's sensors, in mm/s, °C and bar. */
export interface Reading {
  vibration: number;
  temperature: number;
  pressure: number;
}

/**
 * Returns the reading after `reading`: each value approaches its mean, with noise.
 *
 * @param random returns a number from 0 to 1
 */
export function nextReading(reading: Reading, mean: Reading, random: () => number): Reading {
  const step = (value: number, meanValue: number, noise: number) =>
    Math.round((value + (meanValue - value) / 2 + (random() - 0.5) * noise) * 100) / 100;
  return {
    vibration: step(reading.vibration, mean.vibration, 0.4),
    temperature: step(reading.temperature, mean.temperature, 1),
    pressure: step(reading.pressure, mean.pressure, 0.2),
  };
}

/** Returns the mean reading of a pump whose bearing has this wear. */
export function wornReading(normal: Reading, wear: number): Reading {
  return {
    vibration: normal.vibration + wear,
    temperature: normal.temperature + wear * 3,
    pressure: normal.pressure - wear / 10,
  };
}
