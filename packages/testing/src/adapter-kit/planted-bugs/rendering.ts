import { asMade, type PlantedBug, replacing, rewriting } from "./planted-bug.ts";
import { linking } from "./richer-platforms.ts";

/** Bugs in rendering texts. */
export const renderingBugs: readonly PlantedBug[] = [
  {
    bug: "cuts a text by its length alone",
    caughtBy: ["length/emoji-of-several-code-points", /a surrogate pair was cut/],
    plant: replacing("render", () => ({ markdown }) => {
      const pieces: { text: string }[] = [];
      for (let at = 0; at < markdown.length; at += 4_095) pieces.push({ text: markdown.slice(at, at + 4_095) });
      return pieces;
    }),
  },
  {
    bug: "sends pieces that are too long",
    caughtBy: ["length/a-long-list", /a text beyond the limit is one message/],
    plant: replacing("render", () => ({ markdown }) => [{ text: markdown }]),
  },
  {
    bug: "leaves a part of a text out",
    caughtBy: ["length/a-long-list", /where w7 should/],
    plant: rewriting((markdown) => markdown.replace("w7 ", "")),
  },
  {
    bug: "looks from each bracket to the end of the text",
    caughtBy: ["length/hostile", /at twice the length/],
    plant: replacing("render", (render) => (message, root) => {
      const { markdown } = message;
      for (let at = 0; at < markdown.length; at++) {
        if (markdown[at] !== "[") continue;
        for (let end = at; end < markdown.length && markdown[end] !== ")"; ) end++;
      }
      return render(message, root);
    }),
  },
  {
    bug: "leaves out what stands behind a comment that does not end",
    caughtBy: ["length/hostile-words", /the words in its pieces/],
    plant: rewriting((markdown) => markdown.replace(/<!--(?!.*-->).*/s, "")),
  },
  {
    bug: "says what it does not understand as text once more",
    caughtBy: ["length/hostile-words", /the words in its pieces/],
    plant: replacing("render", (render) => (message, root) => {
      const pieces = render(message, root);
      return message.markdown.includes("[a]: b") ? [...pieces, ...pieces] : pieces;
    }),
  },
  {
    bug: "measures a text before it writes its marks",
    caughtBy: ["length/hostile-words", /a piece has \d+ /],
    plant: replacing("render", (render) => (message, root) => {
      return render(message, root).map((piece) => ({ ...piece, text: piece.text.replaceAll("~", "\\~") }));
    }),
  },
  {
    bug: "renders the same message in another way each time",
    caughtBy: ["length/pure", /the pieces of a second rendering/],
    plant: replacing("render", (render) => {
      let times = 0;
      return (...args) => render(...args).map((piece) => ({ ...piece, extra: { times: ++times } }));
    }),
  },
  {
    bug: "escapes what the platform shows as it stands",
    caughtBy: ["length/characters-that-markup-is-made-of", /is read 0 times/],
    plant: rewriting((markdown) => markdown.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
  },
  {
    bug: "leaves out what is bold",
    caughtBy: ["length/paragraphs-with-bold-links-and-code", /it never came about that w\d+ arrives/],
    plant: rewriting((markdown) => markdown.replaceAll(/\*\*[^*]*\*\*/g, "")),
  },
  {
    bug: "cuts a text at its spaces only",
    caughtBy: ["length/one-long-line-without-a-space", /a text beyond the limit is one message/],
    plant: replacing("render", () => ({ markdown }) => {
      return markdown.split(" ").map((text) => ({ text }));
    }),
  },
  {
    bug: "shows of a code block what goes into one message",
    caughtBy: ["length/a-long-code-block", /stands where w\d+ should/],
    plant: rewriting((markdown) => markdown.replace(/^```[\s\S]*?^```/m, (block) => block.slice(0, 4_000))),
  },
  {
    bug: "begins each part of a table with the last row of the one before",
    caughtBy: ["length/a-long-table", /stands where w\d+ should/],
    plant: rewriting((markdown) => {
      const rows = markdown.split("\n");
      return rows.flatMap((row, at) => (at % 100 === 99 ? [row, row] : [row])).join("\n");
    }),
  },
  {
    bug: "forgets the text between two code blocks",
    caughtBy: ["length/prose-around-a-code-block", /it never came about that w\d+ arrives/],
    plant: rewriting((markdown) => markdown.replace(/```[\s\S]*```/, "")),
  },
  {
    bug: "sends no more than four messages in a row",
    caughtBy: ["length/quotes", /the quotes arrive/],
    plant: replacing("send", (send) => {
      let sent = 0;
      return async (...args) => (++sent > 4 ? { messageId: "none", sentAt: 0 } : send(...args));
    }),
  },
  {
    bug: "keeps everybody waiting for seconds while it renders a long answer",
    caughtBy: ["length/quotes", /nobody else was seen to|the quotes arrive/],
    plant: replacing("render", (render) => {
      let until: number | null = null;
      return (...args) => {
        until ??= performance.now() + 3_200;
        while (performance.now() < until);
        return render(...args);
      };
    }),
  },
  {
    bug: "puts its name into a message above each",
    caughtBy: ["length/short", /how many pieces a short answer has: 2/],
    plant: replacing("render", (render) => (message, root) => [{ text: "Hermes says:" }, ...render(message, root)]),
  },
  {
    bug: "makes links of any address",
    caughtBy: ["links/schemes", /people can open .*tg:\/\/resolve\?domain=x/],
    on: linking,
    plant: asMade("render"),
  },
];
