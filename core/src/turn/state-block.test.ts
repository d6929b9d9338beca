import { seededRandom } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { StateBlock, splitAnswer } from "./state-block.ts";

const BLOCK = '```hermes-state\n{"task": "Mend it"}\n```';

const ANSWERS = [
  "It is mended.",
  `It is mended.\n\n${BLOCK}`,
  `It is mended.\n\n${BLOCK}\n\n \n`,
  BLOCK,
  `${BLOCK}\nAnd more.`,
  `One.\n${BLOCK}\nTwo.\n${BLOCK}\n`,
  '```hermes-state\n{"task": "never closed"',
  "```ts\nlet a = 1;\n```\n",
  "````md\n```hermes-state\n{}\n```\n````",
  `~~~\n${BLOCK}`,
  "````hermes-state\n```\n````",
  "One ``` two\n``` hermes-stat\n```\n```hermes-states\n{}\n```",
  "A\r\n```hermes-state\r\n{}\r\n```\r\n",
  "``",
  "   ```hermes-state \n{}\n   ``` ",
  "    ```hermes-state\n{}\n```",
];

/** What an answer showed while it grew, and what it was in the end. */
function grown(pieces: readonly string[]) {
  const block = new StateBlock();
  const shown = pieces.map((piece) => block.push(piece)).join("");
  const end = block.end();
  return { shown, said: shown + end.said, block: end.block };
}

describe("the state at the end of an answer", () => {
  it.each(ANSWERS)("an answer is split alike wherever it is cut in two: %j", (text) => {
    const whole = grown([text]);
    for (let at = 0; at <= text.length; at++) {
      const cut = grown([text.slice(0, at), text.slice(at)]);
      expect({ at, said: cut.said, block: cut.block }).toEqual({ at, said: whole.said, block: whole.block });
    }
    const byOne = grown([...text]);
    expect(byOne).toEqual(whole);
  });

  it("an answer that is cut anywhere, many times, shows nothing of its state", () => {
    const random = seededRandom(7);
    const parts = [
      "Text. ",
      "\n",
      "`",
      "```",
      "```ts\n",
      "~~~\n",
      `\n${BLOCK}\n`,
      "```hermes-state\n",
      "{}\n",
      "```\n",
    ];
    for (let run = 0; run < 2_000; run++) {
      const text = Array.from({ length: 1 + random.below(8) }, () => parts[random.below(parts.length)]).join("");
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const length = 1 + random.below(6);
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      const whole = grown([text]);
      const cut = grown(pieces);
      expect(cut.block).toBe(whole.block);
      expect(cut.said).toBe(whole.said);
      // Nothing that was shown is taken back, and nothing of a state was shown.
      if (whole.block === null) expect(whole.said).toBe(text);
      else expect(text.startsWith(cut.said) && !text.slice(cut.said.length).startsWith(" Text")).toBe(true);
    }
  });

  it("a closed block at the end is taken off", () => {
    expect(splitAnswer(`It is mended.\n\n${BLOCK}\n`)).toEqual({
      said: "It is mended.",
      block: '{"task": "Mend it"}\n',
    });
    expect(splitAnswer(BLOCK)).toEqual({ said: "", block: '{"task": "Mend it"}\n' });
  });

  it.each([
    ["in the middle", `${BLOCK}\nAnd more.`],
    ["that is never closed", '```hermes-state\n{"task": 1}'],
    ["within another fence", "````md\n```hermes-state\n{}\n```\n````"],
    ["within a fence that is never closed", `~~~\n${BLOCK}`],
    ["of another name", "```hermes-states\n{}\n```"],
  ])("a block %s is text", (_, text) => {
    expect(splitAnswer(text)).toEqual({ said: text, block: null });
  });

  it("an answer of a megabyte that never closes its block is split in time", () => {
    const text = `\`\`\`hermes-state\n${"{\n".repeat(500_000)}`;
    const block = new StateBlock();
    for (let at = 0; at < text.length; at += 50) expect(block.push(text.slice(at, at + 50))).toBe("");
    expect(block.end().said).toHaveLength(text.length);
  });
});
