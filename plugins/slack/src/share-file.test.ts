import { randomBytes } from "node:crypto";
import { type OutboundFile, textFile } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, opening, type RunningSlack, sending, startSlack } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

const home = at("C0TEAM");
const said = (threadId?: string) => slack.emulator.messages("C0TEAM", threadId).map(({ text }) => text);
const PLAN = textFile("plan.md", "text/markdown", "# Plan");
const CONTENT = Buffer.from("# Plan");

async function thread(): Promise<string> {
  const { conversation } = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
  return conversation.threadId ?? "";
}

const kept = (name: string, mediaType: string, { length: size }: Uint8Array): OutboundFile => ({
  ...{ name, mediaType, size },
  hash: "0".repeat(64),
});

function share(file = PLAN, { to = home, content = CONTENT as Uint8Array, key = "key-1", text = "" } = {}) {
  return slack.adapter.send(to, { text, file }, { ...sending(key), content });
}

describe("a file", () => {
  it("a file arrives in its thread under its name, and is found by its key", async () => {
    const threadId = await thread();
    await share(PLAN, { to: at("C0TEAM", threadId), key: "file-1" });
    const [message] = slack.emulator.messages("C0TEAM", threadId);
    expect(message).toMatchObject({ author: "bot", fileNames: ["plan.md"], text: "plan.md" });
    expect(await slack.adapter.findSent(at("C0TEAM", threadId), "file-1", sending().signal)).not.toBeNull();
  });

  it("a large file arrives byte for byte, with its caption in the same message", async () => {
    const content = randomBytes(12 * 1024 ** 2);
    await share(kept("noise.bin", "application/octet-stream", content), { content, text: "2 < 3 & *all* of it" });
    const [message, ...others] = slack.emulator.messages("C0TEAM");
    expect(others).toEqual([]);
    expect(message?.text).toBe("2 < 3 & *all* of it");
    expect(Buffer.from(message?.files?.[0]?.content ?? []).equals(content)).toBe(true);
  });

  it("a picture is shown as a picture", async () => {
    const content = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02", "hex");
    await share(kept("chart.png", "image/png", content), { content });
    expect(slack.emulator.messages("C0TEAM")[0]?.files).toMatchObject([{ name: "chart.png", isPicture: true }]);
  });

  it("a file's name keeps its words, and no line break or path", async () => {
    await share({ ...PLAN, name: '../Übersicht\n\u202e "für" alle.md' });
    expect(slack.emulator.messages("C0TEAM")[0]?.fileNames).toEqual(["Übersicht _für_ alle.md"]);
  });

  it("an empty file is sent", async () => {
    await share({ ...PLAN, text: "" }, { content: Buffer.of(), text: "Nothing" });
    expect(said()).toEqual(["Nothing"]);
  });

  it("a file for a thread that is gone is not shown to the channel", async () => {
    const threadId = await thread();
    slack.emulator.removeThread("C0TEAM", threadId);
    await expect(share(PLAN, { to: at("C0TEAM", threadId) })).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    expect(said()).toEqual([]);
  });

  it("a file whose receipt was lost is waited for while Slack scans it, and sent once", async () => {
    slack.emulator.workspace.sharesAfterMs = 300;
    slack.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const sharing = share();
    await slack.until(() => slack.calls("conversations.history").length > 0);
    expect(said()).toEqual([]);
    await slack.until(() => said().length > 0);
    await slack.clock.advance(2_000);
    expect((await sharing).messageId).toBe(slack.emulator.messages("C0TEAM")[0]?.id);
    expect(slack.calls("files.completeUploadExternal")).toHaveLength(1);
  });
});

describe("a file that is refused", () => {
  it.each([
    ["file_upload_size_restricted", "PLATFORM_REJECTED", "the file is larger than the workspace takes"],
    ["file_type_not_allowed", "PLATFORM_REJECTED", "the workspace takes no files of that type"],
    ["file_uploads_disabled", "PLATFORM_FORBIDDEN", "the workspace takes no files"],
    ["file_uploads_except_images_disabled", "PLATFORM_FORBIDDEN", "the workspace takes no files but pictures"],
  ])("a refused file says why (%s)", async (refused, code, words) => {
    slack.emulator.fail({ operation: "files.getUploadURLExternal", kind: { is: "refuse", code: refused } });
    await expect(share()).rejects.toMatchObject({ code, message: expect.stringContaining(words), retryable: false });
    expect(said()).toEqual([]);
  });
});
