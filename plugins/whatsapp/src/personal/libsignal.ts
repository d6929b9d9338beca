import { createRequire } from "node:module";

const fromHere = createRequire(import.meta.url);

/**
 * The Signal library that Baileys uses, and no other copy of it: what is put right in it has to be put right there.
 * Its types leave a good part out.
 */
export const libsignal = createRequire(fromHere.resolve("@whiskeysockets/baileys"))("libsignal") as Readonly<
  Record<string, unknown>
>;
