import { join } from "node:path";
import { defineConfig } from "vite";

const TEXTS = join(import.meta.dirname, "src/texts");
/** The language of the source of a page; the other languages replace its texts. */
const SOURCE = "en";

/** Long texts of a few screens are loaded with these. */
const isShared = (id: string) => !id.includes("/explanations/");

/**
 * The app is built once per language, so that a page loads one language. The mode names the language, also for `npm
 * run dev -- --mode de`, in which a service on its usual port answers the API behind the app.
 */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  clearScreen: false,
  server: { proxy: { "/api": { target: "https://localhost:8443", secure: false } } },
  resolve: { alias: mode === "de" ? { "#texts": join(TEXTS, mode) } : {} },
  plugins: [
    {
      name: "language-of-the-page",
      transformIndexHtml: (html: string) =>
        mode === "de" ? html.replace(`<html lang="${SOURCE}">`, `<html lang="${mode}">`) : html,
    },
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2023",
    // The policy of the pages allows neither inline scripts nor `data:` images.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A page would otherwise fetch some thirty small files over the six connections of HTTP/1.1. Modules of two pages
    // alone stay outside the first load of all others; with modules of three, some pages would fetch twenty files.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 3, test: isShared }] } } },
  },
}));
