import { expect, it } from "vitest";
import { textOf } from "./message-text.ts";

it("quotes a message that was forwarded below the words of whoever forwarded it", () => {
  const snapshot = { message: { content: "one\ntwo", mentions: [] } };
  const message = {
    content: "What about this?",
    mentions: [],
    message_reference: { type: 1, channel_id: "1" },
    message_snapshots: [snapshot],
  } as unknown as Parameters<typeof textOf>[0];
  const read = ({ content }: { content: string }) => content;
  expect(textOf(message, read)).toBe("What about this?\n\n> one\n> two");
  expect(textOf({ ...message, content: "" }, read)).toBe("> one\n> two");
  expect(textOf({ content: "Hello.", mentions: [] }, read)).toBe("Hello.");
});
