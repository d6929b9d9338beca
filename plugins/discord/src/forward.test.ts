import { expect, it } from "vitest";
import { forwardedFiles, quotesOf } from "./inbound.ts";

const read = ({ content }: { content: string }) => content;
const nameOf = (channelId: string) => (channelId === "1" ? "#news" : undefined);

function forwarded(content: string, channelId = "1"): Parameters<typeof quotesOf>[0] {
  const message = {
    message_reference: { type: 1, channel_id: channelId },
    message_snapshots: [{ message: { content, mentions: [] } }],
  };
  return message as unknown as Parameters<typeof quotesOf>[0];
}

it("quotes a forwarded message with the channel it comes from", () => {
  expect(quotesOf(forwarded("one\ntwo"), read, nameOf)).toEqual([
    { kind: "forward", text: "one\ntwo", origin: "#news" },
  ]);
  expect(quotesOf(forwarded("one", "2"), read, nameOf)).toEqual([{ kind: "forward", text: "one" }]);
});

it("tells that a file was passed on, which has no words of its own", () => {
  const file = { id: "7", filename: "plan.md" };
  const message = forwarded("");
  const snapshot = { message: { content: "", mentions: [], attachments: [file] } };
  const withFile = { ...message, message_snapshots: [snapshot] } as unknown as Parameters<typeof quotesOf>[0];
  expect(quotesOf(withFile, read, nameOf)).toEqual([{ kind: "forward", text: "", origin: "#news" }]);
  expect(forwardedFiles(withFile)).toEqual([file]);
  expect(forwardedFiles({})).toEqual([]);
});

it("quotes nothing without a forward, or of a forwarded empty message", () => {
  expect(quotesOf({}, read, nameOf)).toEqual([]);
  expect(quotesOf(forwarded(" "), read, nameOf)).toEqual([]);
});
