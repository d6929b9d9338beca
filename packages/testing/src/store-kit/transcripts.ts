import { EVERY_SESSION, type UserId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import type { StoreTest } from "./kit.ts";

const TEXTS: Readonly<Record<string, string>> = {
  empty: "",
  quotes: `it's "quoted" \`code\` '); DROP TABLE messages; --`,
  operators: `foo AND (bar OR NOT baz) NEAR* col:x ^y "unclosed`,
  emoji: "👩‍👩‍👧‍👦 🇫🇷 e\u0301",
  lines: "a\r\nb\tc\u2028d",
  rightToLeft: "\u202eevil\u202c",
};

/** A text, a query, and the expected snippet. */
const PARTS: readonly (readonly [text: string, query: string, snippet: string])[] = [
  ["昨日の会議で話した", "会議", "昨日の[会議]で話した"],
  ["昨日の会議で話した", "議", "昨日の会[議]で話した"],
  ["昨日の会議で話した", "昨日の会議", "[昨日の会議]で話した"],
  ["修改youer服务端的计划", "youer", "修改[youer]服务端的计划"],
  ["修改youer服务端的计划", "服务端", "修改youer[服务端]的计划"],
  ["修改youer服务端的计划", "计划 修改", "[修改]youer服务端的[计划]"],
  ["修改youer服务端的计划", "修改youer", "[修改][youer]服务端的计划"],
  ["We are refactoring it", "refact", "We are [refactoring] it"],
  ["We are refactoring it", "ref", "We are [refactoring] it"],
  ["We are Réfactoring it", "refact", "We are [Réfactoring] it"],
  ["see foo-barring.ts there", "foo-barr", "see [foo-barring].ts there"],
  ["오늘 회의는 세 시", "회의", "오늘 [회의]는 세 시"],
  ["การประชุมเมื่อวานนี้", "ประชุม", "การ[ประชุม]เมื่อวานนี้"],
  ["ﾃｽﾄとＡＢＣＤ", "テスト abcd", "[ﾃｽﾄ]と[ＡＢＣＤ]"],
  ["הַפְּגִישָׁה של אתמול", "הפגישה", "[הַפְּגִישָׁה] של אתמול"],
  ["यह हिन्दी है", "हिन्दी", "यह [हिन्दी] है"],
];

const OTHERS: readonly (readonly [text: string, query: string])[] = [
  ["昨日の会議で話した", "議会"],
  ["昨日の会議で話した", "昨会"],
  ["We are refactoring it", "refacture"],
  ["We are refactoring it", "re"],
  ["foo bar", "bar-foo"],
];

export function describeTranscripts(test: StoreTest): void {
  describe("transcripts", () => {
    test.inSession("messages come back in order, with their roles, tools, surfaces and counts", async (kit, id) => {
      const { turn, fence, message } = await kit.granted(id, { message: { role: "user", text: "read it" } });
      expect(message).toMatchObject({ seq: 1, role: "user", text: "read it", surface: "terminal", turnId: turn.id });
      const input = { path: "a", nested: [1, null, { b: "\ud800" }] };
      await kit.store.turns.append(turn.id, fence, [
        { role: "assistant", text: "", toolCalls: [{ id: "1", name: "read", input }] },
      ]);
      await kit.store.turns.append(turn.id, fence, [{ role: "tool", text: "content", toolCallId: "1" }]);
      await kit.finish({ turn, fence }, "It says content.");
      await kit.restart();
      const messages = await kit.store.transcripts.read(id);
      expect(messages.map(({ seq, role }) => [seq, role])).toEqual([
        [1, "user"],
        [2, "assistant"],
        [3, "tool"],
        [4, "assistant"],
      ]);
      expect(messages[1]?.toolCalls).toEqual([{ id: "1", name: "read", input }]);
      expect(messages[2]?.toolCallId).toBe("1");
      expect(messages.map(({ surface }) => surface)).toEqual(["terminal", null, null, null]);
      expect(await kit.store.sessions.get(id)).toMatchObject({ messageCount: 4, toolCallCount: 1 });
    });

    test.inSession("a part of a transcript is read: the last ones, those after and those before", async (kit, id) => {
      for (let i = 1; i <= 3; i++) await kit.exchange(id, `q${i}`, `a${i}`);
      const seqs = async (range?: Parameters<typeof kit.store.transcripts.read>[1]) =>
        (await kit.store.transcripts.read(id, range)).map(({ seq }) => seq);
      expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await seqs({ limit: 2 })).toEqual([5, 6]);
      expect(await seqs({ before: 5, limit: 2 })).toEqual([3, 4]);
      expect(await seqs({ after: 2 })).toEqual([3, 4, 5, 6]);
      expect(await seqs({ after: 2, limit: 2 })).toEqual([3, 4]);
      expect(await seqs({ after: 2, before: 4 })).toEqual([3]);
      expect(await seqs({ after: 6 })).toEqual([]);
    });

    test.inSession("a transcript that was read before is read anew where anybody changed it", async (kit, id) => {
      for (let i = 1; i <= 10; i++) await kit.exchange(id, `q${i}`, `a${i}`);
      const read = async () =>
        (await kit.store.transcripts.read(id, { after: 0, room: 100_000 })).map(({ text }) => text).slice(-2);
      expect(await read()).toEqual(["q10", "a10"]);
      await kit.store.turns.undoLast(id);
      expect(await read()).toEqual(["q9", "a9"]);
      await kit.exchange(id, "mine", "yours");
      expect(await read()).toEqual(["mine", "yours"]);
      const second = await kit.second();
      await second.turns.undoLast(id);
      expect(await read()).toEqual(["q9", "a9"]);
      await second.turns.undoLast(id);
      await kit.exchange(id, "again", "well");
      expect(await read()).toEqual(["again", "well"]);
    });

    for (const [name, text] of Object.entries(TEXTS)) {
      test.inSession(`text comes back as it was said: ${name}`, async (kit, id) => {
        await kit.exchange(id, text, text);
        expect(await kit.texts(id)).toEqual([`user: ${text}`, `assistant: ${text}`]);
      });
    }

    test("half characters and the null character are kept readable, and cost no message", async (kit) => {
      const { id } = await kit.session({ workingDirectory: "/tmp/\0\udc00" });
      await kit.exchange(id, "before\0after \ud83d half", "\udc00\0");
      const [question = "", answer = ""] = await kit.texts(id);
      expect(question).toMatch(/^user: before.after .+ half$/u);
      for (const text of [question, answer]) {
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain("\0");
      }
      const hits = await kit.store.transcripts.search({ text: "after half", visible: EVERY_SESSION, limit: 5 });
      expect(hits).toHaveLength(1);
    });

    test.inSession("a megabyte of text comes back whole", async (kit, id) => {
      const text = "0123456789abcdé ".repeat(65_536);
      await kit.exchange(id, text, "long");
      expect((await kit.store.transcripts.read(id))[0]?.text === text).toBe(true);
    });
  });

  describe("search", () => {
    test.inSession("leaves out what tools put out where only what was said is asked for", async (kit, id) => {
      const { turn, fence } = await kit.granted(id, { message: { role: "user", text: "Open the swordfish" } });
      await kit.store.turns.append(turn.id, fence, [
        { role: "assistant", text: "", toolCalls: [{ id: "1", name: "read", input: {} }] },
        { role: "tool", text: "swordfish of a file", toolCallId: "1" },
      ]);
      const found = async (onlySaid: boolean) => {
        const query = { text: "swordfish", visible: EVERY_SESSION, limit: 5, onlySaid };
        return (await kit.store.transcripts.search(query)).map(({ role }) => role);
      };
      expect(await found(false)).toEqual(["tool", "user"]);
      expect(await found(true)).toEqual(["user"]);
    });

    test("finds messages that hold all the words, newest first, and shows the place", async (kit) => {
      const { id } = await kit.session({ title: "Parser" });
      await kit.exchange(id, "Why does the parser fail?", "A comma is missing in the parser's table.");
      await kit.exchange(id, "Mend it", "The comma is there now.");
      const search = (text: string, limit = 9) => kit.store.transcripts.search({ text, visible: EVERY_SESSION, limit });
      const hits = await search("COMMA");
      expect(hits.map(({ seq, title, role }) => [seq, title, role])).toEqual([
        [4, "Parser", "assistant"],
        [2, "Parser", "assistant"],
      ]);
      expect(hits[1]?.snippet).toBe("A [comma] is missing in the parser's table.");
      expect((await search("comma parser")).map(({ seq }) => seq)).toEqual([2]);
      expect((await search("comma", 1)).map(({ seq }) => seq)).toEqual([4]);
      expect(await search("co")).toEqual([]);
    });

    for (const [text, query, snippet] of PARTS) {
      test.inSession(`finds ${query} in ${text}`, async (kit, id) => {
        await kit.exchange(id, text, "Quite so.");
        const hits = await kit.store.transcripts.search({ text: query, visible: EVERY_SESSION, limit: 9 });
        expect(hits.map((hit) => hit.snippet)).toEqual([snippet]);
      });
    }

    for (const [text, query] of OTHERS) {
      test.inSession(`a search for ${query} does not find ${text}`, async (kit, id) => {
        await kit.exchange(id, text, "Quite so.");
        expect(await kit.store.transcripts.search({ text: query, visible: EVERY_SESSION, limit: 9 })).toEqual([]);
      });
    }

    test.inSession("prefers whole words, and is quick to answer where there are enough of them", async (kit, id) => {
      await kit.exchange(id, "a plan", "two planets");
      const search = async (limit: number) =>
        (await kit.store.transcripts.search({ text: "plan", visible: EVERY_SESSION, limit })).map(
          ({ snippet }) => snippet,
        );
      expect(await search(1)).toEqual(["a [plan]"]);
      expect(await search(2)).toEqual(["two [planets]", "a [plan]"]);
    });

    test.inSession("a query of ten thousand characters is no error, whatever they are", async (kit, id) => {
      await kit.exchange(id, "foo", "修改");
      for (const long of ["x", "修改", '"', "foo ", "a-", "の 会 ", "* OR (", "👩‍👩‍👧", "ที่", "\u0301"]) {
        const text = long.repeat(10_000 / long.length);
        const hits = await kit.store.transcripts.search({ text, visible: EVERY_SESSION, limit: 9 });
        expect(hits).toHaveLength(long === "foo " ? 1 : 0);
      }
    });

    test.inSession("shows the place in a long text, and finds what stands at its end", async (kit, id) => {
      await kit.exchange(id, `${"one two three ".repeat(5_000)}昨日の会議でした`, "Quite so.");
      const [hit] = await kit.store.transcripts.search({ text: "会議", visible: EVERY_SESSION, limit: 9 });
      expect(hit?.snippet).toMatch(/^….*two three 昨日の\[会議\]でした$/);
      expect(hit?.snippet.length).toBeLessThan(120);
    });

    test.inSession("whatever is typed is a word and no operator", async (kit, id) => {
      await kit.exchange(id, TEXTS.operators ?? "", "naïve café");
      const count = async (text: string) =>
        (await kit.store.transcripts.search({ text, visible: EVERY_SESSION, limit: 9 })).length;
      expect(await count("foo AND bar")).toBe(1);
      expect(await count("foo OR missing")).toBe(0);
      expect(await count("NOT foo")).toBe(1);
      expect(await count("col:x")).toBe(1);
      expect(await count('"unclosed')).toBe(1);
      expect(await count("cafe NAIVE")).toBe(1);
      for (const nothing of [
        "",
        "  ",
        "\0",
        '"',
        '""',
        "*",
        "(",
        "^",
        ":",
        "-",
        "👩",
        "\ud800",
        "\u0301".repeat(9),
        "\u{30000}",
      ]) {
        expect(await count(nothing)).toBe(0);
      }
      for (const safe of ["foo*", "(foo", "foo)", "^foo", "-foo", "{foo}", "foo\0", "foo \ud800"]) {
        expect(await count(safe)).toBe(1);
      }
    });

    test("shows nobody what they may not see, nor what was taken back", async (kit) => {
      const user = "pager:ada" as UserId;
      const mine = await kit.session({ title: "mine" });
      const hers = await kit.session({ title: "hers", user });
      await kit.exchange(mine.id, "apple", "pear");
      await kit.exchange(hers.id, "apple", "plum");
      const titles = async (visible: Parameters<typeof kit.store.sessions.find>[1]) =>
        (await kit.store.transcripts.search({ text: "apple", visible, limit: 9 })).map(({ title }) => title);
      expect(await titles(EVERY_SESSION)).toEqual(["hers", "mine"]);
      expect(await titles({ kind: "begun-by", user })).toEqual(["hers"]);
      await kit.store.turns.undoLast(mine.id);
      expect(await titles(EVERY_SESSION)).toEqual(["hers"]);
    });
  });

  describe("undo", () => {
    test.inSession("each undo removes the last exchange; message numbers go on", async (kit, id) => {
      await kit.exchange(id, "one", "1");
      const { turn, fence } = await kit.granted(id, { message: { role: "user", text: "two" } });
      await kit.store.turns.append(turn.id, fence, [
        { role: "assistant", text: "", toolCalls: [{ id: "1", name: "t", input: {} }] },
        { role: "tool", text: "r", toolCallId: "1" },
      ]);
      await kit.finish({ turn, fence });

      expect(await kit.store.turns.undoLast(id)).toEqual({ text: "two", removed: 3, turns: [turn.id] });
      expect(await kit.texts(id)).toEqual(["user: one", "assistant: 1"]);
      expect(await kit.store.sessions.get(id)).toMatchObject({ messageCount: 2, toolCallCount: 0 });
      await kit.exchange(id, "three", "3");
      expect((await kit.store.transcripts.read(id)).map(({ seq }) => seq)).toEqual([1, 2, 6, 7]);
      expect(await kit.store.turns.undoLast(id)).toMatchObject({ text: "three" });
      expect(await kit.store.turns.undoLast(id)).toMatchObject({ text: "one" });
      expect(await kit.store.turns.undoLast(id)).toBeNull();
      expect(await kit.store.sessions.get(id)).toMatchObject({ messageCount: 0 });
    });

    test.inSession("waits for no one: it is refused under a running turn and a handoff", async (kit, id) => {
      await kit.exchange(id, "one", "1");
      const holder = kit.process();
      await kit.granted(id, { holder });
      await expect(kit.store.turns.undoLast(id)).rejects.toMatchObject({ code: "SESSION_BUSY" });
      kit.kill(holder);
      await kit.requested(id);
      await expect(kit.store.turns.undoLast(id)).rejects.toMatchObject({ code: "HANDOFF_IN_FLIGHT" });
      expect(await kit.texts(id)).toContain("assistant: 1");
    });

    test.inSession("a request to undo that is made again after a crash takes nothing more", async (kit, id) => {
      for (let i = 1; i <= 3; i++) await kit.exchange(id, `q${i}`, `a${i}`);
      expect(await kit.store.turns.lastUndone(id)).toBeNull();
      const undone = await kit.store.turns.undoLast(id, "inb_1");
      expect(undone).toMatchObject({ text: "q3", removed: 2, turns: [expect.any(String)] });
      await kit.restart();
      expect(await kit.store.turns.undoLast(id, "inb_1")).toEqual(undone);
      expect(await kit.store.turns.lastUndone(id)).toEqual(undone);
      expect(await kit.store.turns.undoLast(id, "inb_2")).toMatchObject({ text: "q2", removed: 2 });
      expect(await kit.store.turns.lastUndone(id)).toMatchObject({ text: "q2" });
      expect(await kit.store.transcripts.read(id)).toHaveLength(2);
    });

    test.inSession("undo removes a dead process's turn, which then cannot append any more", async (kit, id) => {
      const { turn, fence } = await kit.granted(id, { message: { role: "user", text: "stuck" } });
      await kit.clock.advance(60_000);
      expect(await kit.store.turns.undoLast(id)).toMatchObject({ text: "stuck" });
      expect(await kit.texts(id)).toEqual([]);
      await expect(kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "late" }])).rejects.toMatchObject(
        { code: "TURN_SUPERSEDED" },
      );
    });
  });
}
