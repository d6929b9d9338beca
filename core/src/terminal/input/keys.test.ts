import { expect, test } from "vitest";
import { type Key, KeyDecoder } from "./keys.ts";

function keysOf(...chunks: readonly (string | Buffer)[]): string[] {
  const decoder = new KeyDecoder();
  decoder.feed("x");
  decoder.next();
  return chunks.flatMap((chunk) => {
    decoder.feed(chunk);
    const keys: string[] = [];
    for (let key = decoder.next(); key !== null; key = decoder.next()) keys.push(named(key));
    return keys;
  });
}

function named(key: Key): string {
  return key.type === "chord" ? `<${key.chord}>` : key.type === "paste" ? `paste ${key.text}` : key.text;
}

test("keys have names, whichever way a terminal sends them", () => {
  expect(keysOf("\x1b[D\x1bOD\x1b[1;5D\x1b[1;3C\x1b[3~\x1b[H\x1b[Z")).toEqual([
    ...["<left>", "<left>", "<C-left>", "<M-right>", "<delete>", "<home>", "<S-tab>"],
  ]);
  expect(keysOf("\r\n\t\x7f\x08\x03\x1f\x1b\r\x1bb\x1b\x7f")).toEqual([
    ...["<enter>", "<C-j>", "<tab>", "<backspace>", "<backspace>", "<C-c>", "<C-_>"],
    ...["<M-enter>", "<M-b>", "<M-backspace>"],
  ]);
  expect(keysOf("\x1b[13;2u\x1b[27;2;13~\x1b[99;5u\x1b[97u")).toEqual(["<S-enter>", "<S-enter>", "<C-c>", "a"]);
});

test("a key that no table knows is no text", () => {
  expect(keysOf("\x1b[25~\x1b[200;1;1;1;1x\x9b\x00a")).toEqual(["<C-space>", "a"]);
});

test("a sequence and a character are read whole, however they are cut", () => {
  const bytes = Buffer.from("é👩‍👧\x1b[1;5D\x1b[200~p\r\nq\x1b[201~z");
  const whole = keysOf(bytes).join("").replaceAll("paste ", "");
  for (let at = 1; at < bytes.length; at++) {
    const cut = keysOf(bytes.subarray(0, at), bytes.subarray(at)).join("").replaceAll("paste ", "");
    expect(cut).toBe(whole);
  }
  expect(whole).toBe("é👩‍👧<C-left>p\nqz");
});

test("Escape alone is a key once nothing follows it", () => {
  const decoder = new KeyDecoder();
  decoder.feed("\x1b");
  expect(decoder.next()).toBeNull();
  expect(decoder.isHeld).toBe(true);
  expect(decoder.settle()).toEqual({ type: "chord", chord: "escape" });
  decoder.feed("a");
  expect(decoder.next()).toEqual({ type: "text", text: "a" });
});

test("a paste presses no key, and steers no terminal", () => {
  const paste = "\x1b[200~a\r\nb\x03\x04\x1b[31mc\x1b]0;title\x07\x9b2Jd\te\x1b[201~";
  expect(keysOf(paste)).toEqual(["paste a\nbcd    e"]);
});

test("Ctrl-C ends a paste whose end got lost", () => {
  expect(keysOf("\x1b[200~a", "b\r", "\x03", "c")).toEqual(["paste a", "paste b\n", "<C-c>", "c"]);
});

test("Enter that was pressed before the program read keys is Enter", () => {
  const decoder = new KeyDecoder();
  decoder.feed("early\n");
  expect([decoder.next(), decoder.next()]).toEqual([
    { type: "text", text: "early" },
    { type: "chord", chord: "enter" },
  ]);
  decoder.feed("\n");
  expect(decoder.next()).toEqual({ type: "chord", chord: "C-j" });
});

test("the decoder hands on the input that it has not read", () => {
  const decoder = new KeyDecoder();
  decoder.feed("y\rnext\r");
  decoder.next();
  decoder.next();
  expect(decoder.rest()).toBe("next\r");
});
