import { monitorEventLoopDelay } from "node:perf_hooks";
import type { PlatformAdapter } from "@hermes/core";
import { renderedMessage } from "@hermes/core/internal";
import { sizeOf } from "@hermes/core/markdown";
import { effortOf, HOSTILE_SHAPES } from "../../hostile-markdown.ts";
import { check, checkEqual, shown } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import type { KitProof } from "../proof.ts";
import type { Stage } from "../stage.ts";
import { type HardText, hardTexts, wordsIn } from "../texts.ts";

const RULE = "Text is measured after formatting, and cut at safe boundaries";

/** Longer limits are not used up, since the texts would be megabytes. */
const LONGEST = 70_000;

/** A long text is dozens of messages, each with several calls: so many times the patience for one thing. */
const LONG_TEXTS = 4;

/** The length of a hostile text, in UTF-16 units; a second one is twice as long. */
const HOSTILE_LENGTH = 2_000;

/** The most of a hostile text that is looked at for what it says, in UTF-16 units. */
const LONGEST_HOSTILE = 7_000;

/** Sixty times the value on an idle machine: blocking for 15 seconds would cost a lease. */
const LONGEST_HOLD_MS = 3_000;

const names = hardTexts(1).map(({ name }) => name);

export const lengthProofs: readonly KitProof[] = [
  ...names.map(
    (name): KitProof => ({
      id: `length/${name.replaceAll(/[^a-z]+/g, "-")}`,
      rule: RULE,
      proof: `${name}: every piece is taken, and together they say everything once, in order`,
      play: async (on) => arrivesWhole(on, await on.gateway(), name),
    }),
  ),
  {
    id: "length/pure",
    rule: RULE,
    proof: "a message always renders to the same pieces, which survive JSON",
    async play(on) {
      const { adapter } = await on.gateway();
      for (const { markdown } of hardTexts(lengthFor(adapter))) {
        const pieces = renderedMessage(adapter, { kind: "answer", markdown });
        checkEqual(renderedMessage(adapter, { kind: "answer", markdown }), pieces, "the pieces of a second rendering");
        checkEqual(JSON.parse(JSON.stringify(pieces)) as unknown, pieces as unknown, "the pieces read back from JSON");
      }
    },
  },
  {
    id: "length/hostile",
    rule: RULE,
    proof: "twice the text is at most three times the work, whatever its shape",
    isCounted: true,
    async play(on) {
      const { adapter } = await on.gateway();
      const effort = effortOf((markdown) => renderedMessage(adapter, { kind: "answer", markdown }), HOSTILE_LENGTH);
      for (const { shape, once, twice } of effort) {
        check(twice <= 3 * once, () => `${shape}: ${once} steps became ${twice} at twice the length`);
      }
    },
  },
  {
    id: "length/hostile-words",
    rule: RULE,
    proof: "among hostile text each word stands once, in order, in pieces within the limit",
    async play(on) {
      const { adapter } = await on.gateway();
      for (const { name, write } of HOSTILE_SHAPES) checkSaidOnce(adapter, name, write);
    },
  },
  {
    id: "length/quotes",
    rule: RULE,
    proof: "an answer of 4,000 quotes arrives without blocking others, and so does the next answer",
    async play(on) {
      await on.gateway();
      on.model.push("> a\n\n".repeat(4_000));
      const delay = monitorEventLoopDelay();
      delay.enable();
      await on.write("Quote them all.");
      await on.until("the quotes arrive", () => on.said().join("").match(/a/g)?.length === 4_000);
      delay.disable();
      const heldMs = Math.round(delay.max / 1e6);
      check(heldMs < LONGEST_HOLD_MS, () => `nobody else was seen to for ${heldMs} ms`);
      on.model.push("Still here.");
      await on.write("Are you there?");
      await on.until("the next answer arrives", () => on.said().at(-1)?.includes("Still here.") === true);
    },
  },
  {
    id: "length/short",
    rule: RULE,
    proof: "a short message of any kind is one piece, and not empty",
    async play(on) {
      const { adapter } = await on.gateway();
      for (const kind of ["answer", "card", "notice"] as const) {
        const pieces = renderedMessage(adapter, { kind, markdown: "Just this." });
        checkEqual(pieces.length, 1, `how many pieces a short ${kind} has`);
        check(pieces[0]?.text.includes("Just this") === true, () => `a short ${kind} became ${shown(pieces)}`);
      }
    },
  },
];

/** How many words are said between parts of a hostile text. */
const WORDS_AMONG = 9;

/** Each word is a paragraph of its own, which no hostile text before it can swallow. */
function checkSaidOnce(adapter: PlatformAdapter, shape: string, write: (length: number) => string): void {
  const { length, unit } = adapter.capabilities.textLimit;
  const whole = Math.min(length * 1.5, LONGEST_HOSTILE);
  const words = Array.from({ length: WORDS_AMONG }, (_, index) => `w${index + 1}`);
  const markdown = words.map((word) => `${write(Math.ceil(whole / WORDS_AMONG))}\n\n${word}\n\n`).join("");
  const pieces = renderedMessage(adapter, { kind: "answer", markdown });
  for (const { text } of pieces) {
    const size = sizeOf(text, unit);
    check(size <= length, () => `${shape}: a piece has ${size} ${unit}, and ${length} are taken`);
  }
  checkEqual(wordsIn(pieces.map(({ text }) => text).join("\n")), words, `${shape}: the words in its pieces`);
}

async function arrivesWhole(on: Stage, { adapter }: LiveGateway, name: string): Promise<void> {
  const text = hardTexts(lengthFor(adapter)).find((one) => one.name === name);
  check(text !== undefined, `there is no text ${name}`);
  on.model.push(text.markdown);
  await on.write("Tell me all of it.");
  const last = `w${text.words}`;
  await on.until(`${last} arrives`, () => wordsIn(joined(text, on.said())).includes(last), LONG_TEXTS * on.patienceMs);
  await on.quiet();
  const said = on.said();
  for (const message of said) check(message.isWellFormed(), () => `a surrogate pair was cut in two: ${shown(message)}`);
  check(said.length > 1 || adapter.capabilities.textLimit.length > LONGEST, "a text beyond the limit is one message");
  checkWords(text, said);
}

/** Joins the messages: a text without spaces is cut within words, also by a platform that shows parts as paragraphs. */
function joined({ joint }: HardText, said: readonly string[]): string {
  const text = said.join(joint);
  return joint === "" ? text.replaceAll("\n", "") : text;
}

function checkWords(text: HardText, said: readonly string[]): void {
  const { words, literal } = text;
  const found = wordsIn(joined(text, said));
  const wanted = Array.from({ length: words }, (_, index) => `w${index + 1}`);
  const at = wanted.findIndex((word, index) => found[index] !== word);
  check(at < 0, () => `${shown(found.slice(Math.max(0, at - 2), at + 3))} stands where ${wanted[at]} should`);
  checkEqual(found.length, words, "how many words arrived");
  if (literal === undefined) return;
  // A cut may fall into the literal text, so white space is ignored.
  const whole = said.join("").replaceAll(/\s+/g, "");
  const times = whole.split(literal.replaceAll(/\s+/g, "")).length - 1;
  check(times >= words - said.length, () => `${shown(literal)} is read ${times} times rather than ${words}`);
}

/** A length for several pieces, in UTF-16 units whatever unit the platform uses. */
function lengthFor({ capabilities }: PlatformAdapter): number {
  return Math.min(Math.ceil(capabilities.textLimit.length * 2.5), LONGEST * 2);
}
