import { expect, it } from "vitest";
import { quotesOf, sharedFiles } from "./attachments.ts";

const asIs = async (text: string) => text;

it("quotes a shared message with its writer and its channel", async () => {
  const shared = [{ is_share: true, author_name: "Grace", author_id: "U7", channel_name: "news", text: "/new" }];
  expect(await quotesOf(shared, asIs)).toEqual([
    { kind: "forward", text: "/new", writer: "Grace", writerId: "U7", origin: "#news" },
  ]);
});

it("tells that a file was shared, which has no words of its own", async () => {
  const shared = [{ is_share: true, files: [{ id: "F1", name: "plan.md" }] }];
  expect(await quotesOf(shared, asIs)).toEqual([{ kind: "forward", text: "" }]);
  expect(sharedFiles(shared)).toEqual([{ id: "F1", name: "plan.md" }]);
});

it("a link preview is not read as a shared message", async () => {
  expect(await quotesOf([{ text: "A page" }], asIs)).toEqual([]);
  expect(sharedFiles(undefined)).toEqual([]);
});
