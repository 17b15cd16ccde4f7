/**
 * `npm run fuzz -- [streams] [seed]`: reads mutated MQTT packets, two million streams by default. It fails if reading
 * throws.
 */
import {
  cut,
  mutatedStream,
  PIECES,
  PIECES_5,
  randomFrom,
  readStream,
} from "../../server/test/broker/codec/packet-streams.ts";

const [streams = "2000000", seed = "1"] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const counts = { packets: 0, refused: 0 };
const began = performance.now();
for (let round = 0; round < Number(streams); round++) {
  const version = round % 2 === 0 ? 4 : 5;
  const bytes = mutatedStream(random, version === 4 ? PIECES : PIECES_5);
  try {
    const { packets, problem } = readStream(round % 8 < 2 ? cut(bytes, random, 40) : [bytes], version);
    counts.packets += packets.length;
    if (problem) counts.refused++;
  } catch (error) {
    console.error(`Stream ${round} of seed ${seed}: ${bytes.toString("hex")}`);
    throw error;
  }
}
const seconds = Math.round((performance.now() - began) / 1000);
console.log(
  `${streams} streams in ${seconds} s: ${counts.packets} packets read, ${counts.refused} streams refused, none threw.`,
);
