import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { createVirtualClock, seededRandom } from "@hermes/testing";
import { Terminal } from "@xterm/xterm";
import { describe, expect, it } from "vitest";
import { createAnswerPrinter } from "../core/src/cli/chat/answer-printer.ts";
import { type GrowingElsewhere, LiveAnswer } from "../core/src/cli/chat/live-answer.ts";
import { Output } from "../core/src/terminal/output.ts";
import { renderForTerminal } from "../core/src/terminal/render-markdown.ts";

const PARAGRAPH =
  "High **water** is at noon, and 潮が満ちる at midnight 🌊 as `tide.ts` says; a_very_long_word_".concat(
    "x".repeat(60),
    " ends it, \u001b[2Jwith a sign for what would \u009b3A steer \rthe terminal.",
  );
const ANSWER = [
  `# Tides\n\n${PARAGRAPH}`,
  Array.from({ length: 30 }, (_, at) => `${at + 1}. item ${at + 1} of a list that is higher than the screen`).join(
    "\n",
  ),
  "```ts\nconst tide = 1;\n\nconst ebb = 2;\n```",
  "See https://tides.example/a/very/long/address/that/is/never/broken?so=it-can-be-opened for more.",
  "| port | 満潮 |\n|---|---|\n| Brest | 4 m |\n| 東京 | 2 m |",
  "> - quoted 👍🏽\n> - and nested",
  "The end.",
].join("\n\n");

/** A terminal of its own make, with an answer that grows on it. */
function openScreen({ cols = 44, rows = 12, color = true } = {}) {
  const terminal = new Terminal({ cols, rows, scrollback: 1_000, convertEol: true, allowProposedApi: true });
  const clock = createVirtualClock();
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => terminal.write(chunk, () => done()),
  });
  const output = new Output(
    {
      ...{
        stdin: new PassThrough(),
        stdout,
        stderr: stdout,
        isInteractive: true,
        isPiped: false,
        isScreen: true,
        draws: true,
        color,
      },
      ...{ columns: () => terminal.cols, rows: () => terminal.rows, environment: {}, workingDirectory: "/" },
      onSignal: () => ({ [Symbol.dispose]() {} }),
      onResize: () => ({ [Symbol.dispose]() {} }),
      interrupt() {},
      suspend() {},
    },
    { json: false },
  );
  const lines = (from: number) => {
    const { active } = terminal.buffer;
    const all: string[] = [];
    for (let at = from; at < active.length; at++) {
      const line = active.getLine(at);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped && all.length > 0) all.push(`${all.pop()}${text}`);
      else all.push(text);
    }
    return all
      .map((text) => text.trimEnd())
      .join("\n")
      .trimEnd();
  };
  return {
    terminal,
    clock,
    output,
    printer: createAnswerPrinter(output, clock),
    /** Lets a frame's time pass, and the terminal take what was written. */
    async frame() {
      await clock.advance(100);
      await new Promise<void>((resolve) => terminal.write("", resolve));
    },
    /** What can be seen now. */
    screen: () => lines(terminal.buffer.active.baseY),
    /** All that was printed, with what has scrolled away. */
    everything: () => lines(0),
  };
}

function rendered(markdown: string, width: number): string {
  const text = stripVTControlCharacters(renderForTerminal(markdown, { width, color: true }));
  return text.replaceAll(/ +$/gm, "");
}

describe("an answer on the screen", () => {
  it("an answer appears word by word, long before its paragraph ends", async () => {
    const { printer, frame, screen } = openScreen();
    printer.wait("thinking");
    await frame();
    expect(screen()).toContain("thinking");
    printer.text("High **water** is");
    await frame();
    expect(screen()).toBe("High water is");
    printer.text(" at noon and at");
    await frame();
    expect(screen()).toBe("High water is at noon and at");
    printer.text(" midnight.\n\n```\nconst a");
    await frame();
    expect(screen()).toMatch(/^High water is at noon and at midnight\.\n\n {2}\S writing$/);
    printer.text(" = 1;\n");
    printer.end();
    await frame();
    expect(screen()).toBe("High water is at noon and at midnight.\n\n    const a = 1;");
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    "is in the end what it would be had it come at once, however it came (%i)",
    async (seed) => {
      const random = seededRandom(seed);
      const cols = 24 + random.below(60);
      const { printer, frame, everything } = openScreen({ cols, rows: 6 + random.below(20) });
      for (let at = 0; at < ANSWER.length; ) {
        const length = 1 + random.below(40);
        printer.text(ANSWER.slice(at, at + length));
        at += length;
        if (random.below(3) > 0) await frame();
      }
      printer.end();
      await frame();
      expect(everything()).toBe(rendered(ANSWER, cols));
    },
  );

  it("shows the end of what is higher than the screen", async () => {
    const { printer, frame, screen, terminal } = openScreen();
    for (let item = 1; item <= 40; item++) {
      printer.text(`- item ${item}\n`);
      await frame();
      expect(screen()).toContain(`• item ${item}`);
      expect(terminal.buffer.active.baseY).toBe(0);
    }
    printer.end();
    await frame();
    expect(screen()).toContain("• item 40");
  });

  it("stays whole when the window gets narrower or wider meanwhile", async () => {
    const { printer, frame, everything, terminal } = openScreen({ cols: 60, rows: 30 });
    printer.text("Before.\n\n");
    for (const [at, word] of PARAGRAPH.split(" ").entries()) {
      if (at % 4 === 3) terminal.resize([33, 60, 47, 24][Math.floor(at / 4) % 4] ?? 60, 30);
      printer.text(`${word} `);
      await frame();
    }
    printer.end();
    await frame();
    expect(everything()).toBe(rendered(`Before.\n\n${PARAGRAPH}`, terminal.cols));
  });

  it("makes room for what is said beside it, and goes on below", async () => {
    const { printer, frame, everything, output } = openScreen();
    printer.text("High water\nis at");
    await frame();
    output.line("Stopping.");
    output.note("A note.");
    await frame();
    expect(everything()).toBe("Stopping.\nA note.\nHigh water is at");
    printer.text(" noon.");
    printer.end();
    await frame();
    expect(everything()).toBe("Stopping.\nA note.\nHigh water is at noon.");
  });
});

describe("an answer that another process writes", () => {
  const turn = {} as GrowingElsewhere["turn"];

  it("an answer from elsewhere grows at the foot of a narrow screen, without a trace", async () => {
    const { clock, output, frame, screen, everything, terminal } = openScreen({ cols: 30, rows: 10 });
    using live = new LiveAnswer(output, clock);
    output.line("› When?");
    for (let length = 1; length < ANSWER.length; length += 60) {
      live.show({ turn, text: ANSWER.slice(0, length), doing: "on pager, Ada: writing" });
      await frame();
      expect(screen().split("\n").length).toBeLessThanOrEqual(10);
      expect(screen()).toContain("on pager, Ada: writing");
    }
    expect(screen()).toContain("Brest");
    terminal.resize(50, 10);
    live.show({ turn, text: ANSWER, doing: "on pager, Ada: writing" });
    await frame();
    expect(screen()).toContain("The end.");
    live.empty();
    output.line("Stored.");
    live.show(null);
    await frame();
    expect(everything()).toBe("› When?\nStored.");
  });

  it("a text that begins anew takes the place of the one before it", async () => {
    const { clock, output, frame, screen } = openScreen();
    using live = new LiveAnswer(output, clock);
    live.show({ turn, text: "First I look.", doing: "writing" });
    await frame();
    live.show({ turn, text: "It is", doing: "writing" });
    await frame();
    expect(screen()).toMatch(/^It is\n/);
    expect(screen()).not.toContain("First");
  });
});
