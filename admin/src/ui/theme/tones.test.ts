import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUND, type Scheme, TONES, type Tone } from "./tones.ts";

const SCHEMES: readonly Scheme[] = ["light", "dark"];

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("the text of every tone is readable on its fill, on the page and on a panel, in both schemes", () => {
  for (const scheme of SCHEMES) {
    const { page, panel } = GROUND[scheme];
    for (const [tone, { text, fill }] of Object.entries(TONES[scheme])) {
      for (const ground of [fill, page, panel]) {
        const ratio = contrast(text, ground);
        assert.ok(ratio >= 4.5, `${scheme} ${tone}: ${text} on ${ground} is ${ratio.toFixed(2)}:1`);
      }
    }
  }
});

test("white is readable on the solid colour of every tone", () => {
  for (const scheme of SCHEMES) {
    for (const tone of Object.keys(TONES[scheme]) as Tone[]) {
      const ratio = contrast("#ffffff", TONES[scheme][tone].solid);
      assert.ok(ratio >= 4.5, `${scheme} ${tone}: ${ratio.toFixed(2)}:1`);
    }
  }
});

test("text is readable, and the border of a field is seen, on the page and on a panel", () => {
  for (const scheme of SCHEMES) {
    const { text, soft, control, page, panel } = GROUND[scheme];
    for (const ground of [page, panel]) {
      assert.ok(contrast(text, ground) >= 7, `${scheme} text on ${ground}`);
      assert.ok(contrast(soft, ground) >= 4.5, `${scheme} soft on ${ground}`);
      assert.ok(contrast(control, ground) >= 3, `${scheme} control on ${ground}: ${contrast(control, ground)}`);
    }
  }
});
