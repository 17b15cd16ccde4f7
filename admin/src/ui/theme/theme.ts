import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { GROUND, type Scheme, TONES, type Tone, variablesOf } from "./tones.ts";

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

/**
 * Returns the ten shades of a colour for the component library. It uses the two solid ones; the variables below replace
 * the rest.
 */
function shades(tone: Tone): MantineColorsTuple {
  const { fill, border, solid } = TONES.light[tone];
  const { text, solid: deep } = TONES.dark[tone];
  return [fill, fill, border, border, text, text, deep, solid, deep, solid];
}

/** The colours of fields, menus and other parts of the library: those of the ground instead of grey. */
const { light, dark } = GROUND;
const ink: MantineColorsTuple = [
  dark.text,
  "#c9d3db",
  dark.soft,
  dark.control,
  dark.control,
  dark.line,
  dark.page,
  dark.page,
  "#0c1115",
  "#080c0f",
];
const gray: MantineColorsTuple = [
  light.panel,
  "#eef2f4",
  light.line,
  "#c6cfd7",
  light.control,
  "#6c7985",
  light.soft,
  "#46525e",
  "#2c3640",
  light.text,
];

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 8 },
  colors: { accent: shades("accent"), bad: shades("bad"), neutral: shades("neutral"), dark: ink, gray },
  white: "#ffffff",
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "20px", xl: "32px" },
  radius: { xs: "3px", sm: "6px", md: "6px", lg: "6px", xl: "6px" },
  defaultRadius: "sm",
  respectReducedMotion: true,
  cursorType: "pointer",
  // Lists of choices stay within a dialog, which covers everything outside of it.
  components: {
    Select: { defaultProps: { comboboxProps: { withinPortal: false } } },
    MultiSelect: { defaultProps: { comboboxProps: { withinPortal: false } } },
    TagsInput: { defaultProps: { comboboxProps: { withinPortal: false } } },
  },
});

/** The app's own variables in both schemes, and replacements for those of the library with a contrast below 4.5:1. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: ofScheme("light"),
  dark: ofScheme("dark"),
});

function ofScheme(scheme: Scheme): Record<string, string> {
  const tones = (["accent", "bad", "neutral"] as const).flatMap((tone) => {
    const { text, fill, border, solid } = TONES[scheme][tone];
    return Object.entries({
      light: fill,
      "light-hover": `color-mix(in srgb, ${fill} 65%, ${border})`,
      "light-color": text,
      outline: text,
      text,
      filled: solid,
    }).map(([name, colour]) => [`--mantine-color-${tone}-${name}`, colour]);
  });
  return {
    ...variablesOf(scheme),
    ...Object.fromEntries(tones),
    "--mantine-color-body": "var(--page)",
    "--mantine-color-text": "var(--text)",
    "--mantine-color-dimmed": "var(--soft)",
    "--mantine-color-placeholder": "var(--soft)",
    "--mantine-color-anchor": "var(--accent-text)",
    "--mantine-color-error": "var(--bad-text)",
    "--mantine-color-default": "var(--page)",
    "--mantine-color-default-hover": "var(--panel)",
    "--mantine-color-default-color": "var(--text)",
    "--mantine-color-default-border": "var(--control)",
    "--mantine-color-disabled": "var(--neutral-fill)",
    "--mantine-color-disabled-color": "var(--soft)",
    "--mantine-color-disabled-border": "var(--neutral-border)",
  };
}
