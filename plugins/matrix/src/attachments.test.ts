import { expect, it } from "vitest";
import { attachmentsOf } from "./attachments.ts";

const source = "<template>\n  <p>Hello</p>\n</template>\n";

it("a file that is text by its name reaches the model with its text", async () => {
  const info = { mimetype: "application/octet-stream", size: source.length };
  const content = { msgtype: "m.file", body: "App.vue", url: "mxc://example.org/app", info };
  const [file] = await attachmentsOf(content, async () => new TextEncoder().encode(source));
  expect(file).toMatchObject({ name: "App.vue", text: source });
});
