import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOT, type MatrixInbound, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix } from "../test/running-matrix.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

/** What Hermes is handed when a person writes. */
async function read(message: Partial<MatrixInbound>) {
  const before = matrix.received.length;
  const { messageId } = await matrix.emulator.receive({ chatId: ROOMS.group, text: "", ...message });
  await expect.poll(() => matrix.received.length).toBe(before + 1);
  return { ...matrix.received[before], sent: messageId };
}

/** Writes something that is handed to nobody. */
async function isPassedOver(message: Partial<MatrixInbound>): Promise<void> {
  await matrix.emulator.receive({ chatId: ROOMS.group, text: "", ...message });
  const next = await read({ text: "The next one." });
  expect(matrix.received.map(({ text }) => text)).toEqual([next.text]);
}

describe("what a person writes", () => {
  it("comes with who wrote it, where and when", async () => {
    const message = await read({ text: "Hello there", userName: "Ada" });
    expect(message).toMatchObject({
      messageId: message.sent,
      sender: { id: ADA, name: "Ada" },
      text: "Hello there",
      chatName: "A group",
      conversation: { platform: "matrix", chatId: ROOMS.group, kind: "group" },
    });
    expect(Math.abs((message.sentAt ?? 0) - Date.now())).toBeLessThan(10_000);
  });

  it("formatted HTML becomes Markdown: lists, code, links, quotes, strikethrough", async () => {
    const html =
      '<p><strong>Bold</strong>, <em>slanted</em>, <del>struck</del> and <code>x &lt; y</code>: <a href="https://example.org/?a=1&amp;b=2">a link</a></p>' +
      '<ul><li>one</li><li>two</li></ul><pre><code class="language-ts">const a = "&lt;b&gt;";\n</code></pre><blockquote>said</blockquote>';
    expect((await read({ text: "plain", html })).text).toBe(
      [
        "**Bold**, _slanted_, ~~struck~~ and `x < y`: [a link](https://example.org/?a=1&b=2)",
        "- one\n- two",
        '```ts\nconst a = "<b>";\n```',
        "> said",
      ].join("\n\n"),
    );
  });

  it("a message without formatting stays as it was typed", async () => {
    const text = "2 * 3 < 4 && a_b_c, [x] **y**\nsecond `line`";
    expect((await read({ text })).text).toBe(text);
  });

  it("a reply comes without the quote that older apps put before it", async () => {
    const text = "> <@bo:emulated.test> What do you think?\n> Really?\n\nYes, I do.";
    expect((await read({ text, replyTo: await anybodysMessage() })).text).toBe("Yes, I do.");
    const html = "<mx-reply><blockquote>What do you think?</blockquote></mx-reply>Yes, I <b>do</b>.";
    expect((await read({ text, html, replyTo: await anybodysMessage() })).text).toBe("Yes, I **do**.");
  });

  it("deeply nested formatting is read as plain text and delays nothing", async () => {
    const html = `${"<blockquote>".repeat(4_000)}deep`;
    expect((await read({ text: "deep", html })).text).toMatch(/deep/);
    expect((await read({ text: "next" })).text).toBe("next");
  });

  it.each([
    ["elements that are never closed", "<nobr>".repeat(10_000)],
    ["elements that are closed where others are open", "<i><table></i></table>".repeat(240)],
    ["thousands of elements with nothing in them", "<b></b>".repeat(5_000)],
  ])("formatting of %s is read as plain text and delays nobody", async (_, html) => {
    const before = performance.now();
    expect((await read({ text: "plain", html })).text).toBe("plain");
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it("a reply to a message that the bot may not see comes all the same", async () => {
    matrix.emulator.fail({
      operation: "event",
      kind: { is: "refuse", code: "M_FORBIDDEN: You don't have permission" },
    });
    expect((await read({ text: "Why?", replyTo: "$before-it-came" })).text).toBe("Why?");
  });

  it("a file comes with its caption and its text, or its name if it is no text file", async () => {
    const content = "The word is plum.";
    const files = [{ name: "notes.txt", mediaType: "text/plain", content }];
    expect(await read({ text: "See here", files })).toMatchObject({
      text: "See here",
      attachments: [{ name: "notes.txt", mediaType: "text/plain", size: 17, text: content }],
    });
    const image = await read({ files: [{ name: "photo.png", mediaType: "image/png", content: "\u0089PNG" }] });
    expect(image).toMatchObject({
      text: "",
      attachments: [{ name: "photo.png", mediaType: "application/octet-stream" }],
    });
    expect(image.attachments?.[0]).not.toHaveProperty("text");
  });

  it("a file that is passed on says so, also without a word", async () => {
    const files = [{ name: "notes.txt", mediaType: "text/plain", content: "Go." }];
    const passedOn = await read({ files, forwarded: { from: "@grace:elsewhere.test" } });
    expect(passedOn).toMatchObject({
      text: "",
      quotes: [{ kind: "forward", text: "", writer: "@grace:elsewhere.test" }],
    });
  });

  it("a message sent as a file that is too long, or cannot be had, comes by its name", async () => {
    const long = { name: "long.txt", mediaType: "text/plain", content: "x".repeat(256 * 1024 + 1) };
    expect((await read({ files: [long] })).attachments?.[0]).not.toHaveProperty("text");
    matrix.emulator.fail({ operation: "download", kind: { is: "refuse", code: "M_NOT_FOUND" } });
    const lost = { name: "lost.txt", mediaType: "text/plain", content: "lost" };
    expect((await read({ files: [lost] })).attachments).toMatchObject([{ name: "lost.txt", isLost: true }]);
  });

  it("an edited message keeps its id, and has the new text once, without asterisk", async () => {
    const first = await read({ text: "Helo" });
    const edit = await read({ text: "Hello", editOf: first.sent });
    expect(edit).toMatchObject({ messageId: first.sent, isEdit: true, text: "Hello" });
  });
});

describe("passed over in silence", () => {
  it("an edit of somebody else's message is ignored", async () => {
    const mine = await anybodysMessage();
    matrix.received.length = 0;
    await isPassedOver({ text: "Changed by another", editOf: mine, userId: "@bo:emulated.test" });
  });

  it.each([
    ["the bot's own message", { text: "My words.", isOwn: true }],
    ["a message without words", { text: "   " }],
    ["a request to verify a device", { text: "verify", content: { msgtype: "m.key.verification.request" } }],
  ])("%s is ignored", (_, message) => isPassedOver(message));

  it("a message that was removed before it was read is ignored", async () => {
    await matrix.stop();
    const { messageId } = await matrix.emulator.receive({ chatId: ROOMS.group, text: "Oh no." });
    matrix.emulator.removeThread(ROOMS.group, messageId);
    await matrix.restart();
    await isPassedOver({ text: "" });
  });
});

describe("addressed to the bot", () => {
  it.each([
    ["a mention", { text: "hello", mentions: true }, "hello"],
    ["a mention by an older app", { text: "Hermes: hello", content: { "m.mentions": undefined } }, "hello"],
    ["its id", { text: `${BOT.userId} hello`, content: { "m.mentions": undefined } }, "hello"],
    ["a command", { text: "!resume 2" }, "/resume 2"],
    ["a command as phones write it", { text: "!Resume 2" }, "/resume 2"],
    ["a command with a mention", { text: "!who-am-i", mentions: true }, "/who-am-i"],
    ["a command with a slash", { text: "/new" }, "/new"],
  ])("%s addresses the bot", async (_, message, text) => {
    expect(await read(message)).toMatchObject({ isAddressed: true, text });
  });

  it.each([
    ["other talk", { text: "Hermes was a god", content: {} }],
    ["a mention of another", { text: "Bo: hello", content: { "m.mentions": { user_ids: ["@bo:emulated.test"] } } }],
    ["an exclamation", { text: "!important: read this" }],
  ])("%s does not address the bot", async (_, message) => {
    const { isAddressed, text } = await read(message);
    expect({ isAddressed, text }).toEqual({ isAddressed: undefined, text: message.text });
  });

  it.each([
    ["of several words", "Hermes the Bot", "Good morning, Hermes the Bot! How are you?", true],
    ["of several words, when it is only partly said", "Hermes the Bot", "Hermes was a god.", undefined],
    ["that is empty, whatever is said", "", "Good morning!", undefined],
  ])("an older app addresses the bot by a name %s", async (_, name, text, isAddressed) => {
    matrix.emulator.server.names.set(BOT.userId, name);
    await matrix.restart();
    expect((await read({ text, content: { "m.mentions": undefined } })).isAddressed).toBe(isAddressed);
  });

  it("a reply to the bot addresses it; a reply to a person does not", async () => {
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    const { messageId } = await matrix.adapter.send(at, { text: "An answer." }, sendOptions());
    expect((await read({ text: "Why?", replyTo: messageId })).isAddressed).toBe(true);
    expect((await read({ text: "Why?", replyTo: await anybodysMessage() })).isAddressed).toBeUndefined();
  });

  it("keeps a name in the middle of what is said", async () => {
    const html = `Ask <a href="https://matrix.to/#/${BOT.userId}">Hermes</a> again`;
    const message = await read({
      text: "Ask Hermes again",
      html,
      content: { "m.mentions": { user_ids: [BOT.userId] } },
    });
    expect(message).toMatchObject({ isAddressed: true, text: "Ask Hermes again" });
  });
});

describe("a notice", () => {
  it("counts as a bot's: programs must not answer each other", async () => {
    expect((await read({ text: "Build failed", isBot: true })).sender?.isBot).toBe(true);
  });
});

async function anybodysMessage(): Promise<string> {
  return (await read({ text: "What do you think? Really?" })).sent;
}
