import { seededRandom } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { createTerminalStream } from "./markdown-stream.ts";
import { renderForTerminal } from "./render-markdown.ts";

function open(width = 40) {
  const written: string[] = [];
  const stream = createTerminalStream({ width, color: false, write: (text) => void written.push(text) });
  return { stream, written, shown: () => written.join("") };
}

const ANSWER =
  "# Tides\n\nHigh water is at noon.\n\n- one\n- two\n  - deep\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.";

describe("an answer that streams into the terminal", () => {
  it("a paragraph is written once it is complete, and not before", () => {
    const { stream, shown } = open();
    stream.push("High **wa");
    stream.push("ter** is at noon.\n");
    expect(shown()).toBe("");
    stream.push("\nAnd ");
    expect(shown()).toBe("High **water** is at noon.\n");
    stream.push("so on.");
    stream.end();
    expect(shown()).toBe("High **water** is at noon.\n\nAnd so on.\n");
  });

  it("code is written line by line", () => {
    const { stream, written } = open();
    stream.push("Look:\n```ts\nconst a = 1;\nconst");
    expect(written).toEqual(["Look:\n", "\n  ts\n", "    const a = 1;\n"]);
    stream.push(" b = 2;\n\n```\nDone.");
    stream.end();
    expect(written.slice(3)).toEqual(["    const b = 2;\n", "\n", "\nDone.\n"]);
  });

  it("a streamed text ends up like the whole text, wherever its pieces are cut", () => {
    const whole = `${renderForTerminal(ANSWER, { width: 40, color: false })}\n`;
    for (let seed = 0; seed < 200; seed++) {
      const random = seededRandom(seed);
      const { stream, shown } = open();
      for (let at = 0; at < ANSWER.length; ) {
        const length = 1 + random.below(20);
        stream.push(ANSWER.slice(at, at + length));
        at += length;
      }
      stream.end();
      expect(shown(), `seed ${seed}`).toBe(whole);
    }
  });

  it("unfinished renders the held-back block as if the text ended there", () => {
    const { stream, shown } = open(16);
    const parts = [
      "High **wa",
      "ter** is at noon",
      " today.\n",
      "\n- one\n- t",
      "wo\n",
      "``",
      "`ts\nconst a",
      " = 1;\n```\nSo",
    ];
    const seen = parts.map((part) => {
      stream.push(part);
      return stream.unfinished();
    });
    expect(seen).toEqual([
      ["High **wa"],
      ["High **water**", "is at noon"],
      ["High **water**", "is at noon", "today."],
      ["", "• one", "• t"],
      ["", "• one", "• two"],
      ["", "• one", "• two"],
      [],
      ["", "So"],
    ]);
    expect(shown()).toBe("High **water**\nis at noon\ntoday.\n\n• one\n• two\n\n  ts\n    const a = 1;\n");
  });

  it("a list continues after an empty line", () => {
    const { stream, shown } = open();
    stream.push("1. one\n\n   more of one\n\n2. two\n\nAfter.\n");
    stream.end();
    expect(shown()).toBe("1. one\n\n   more of one\n\n2. two\n\nAfter.\n");
  });

  it("an answer that breaks off within code is written as far as it came", () => {
    const { stream, shown } = open();
    stream.push("```\n\u001b[2Jabc\nde");
    stream.end();
    expect(shown()).toBe("    ␛[2Jabc\n    de\n");
  });

  it("an empty text writes nothing", () => {
    const { stream, written } = open();
    stream.push("\n\n");
    stream.end();
    expect(written).toEqual([]);
  });
});
