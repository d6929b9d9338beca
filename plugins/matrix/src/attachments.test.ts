import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Attachment, LARGEST_TEXT_FILE, systemClock } from "@hermes/core";
import { notingLogger, readingFiles } from "@hermes/testing";
import { expect, it } from "vitest";
import { MatrixApi } from "./api.ts";
import { attachmentsOf } from "./attachments.ts";

/** What becomes of a file that a server gives. */
async function read(body: string, serve: (response: ServerResponse) => void): Promise<Attachment | undefined> {
  const server = createServer((_, response) => serve(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const logger = notingLogger([]);
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = new MatrixApi({ baseUrl, accessToken: "syt_x" }, logger);
    const info = { mimetype: "application/octet-stream", size: 40 };
    const content = { msgtype: "m.file", body, url: "mxc://example.org/app", info };
    const at = {
      conversation: { platform: "matrix", chatId: "!a", kind: "dm" },
      messageId: "$1",
      text: "",
      sentAt: 0,
    } as const;
    const attachments = attachmentsOf(content, { api });
    return (await readingFiles({ clock: systemClock, logger }).taken({ ...at, sender: { id: "@a" }, attachments }))
      .attachments?.[0];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it("the model gets the text of a file that is text by its name", async () => {
  const source = "<template>\n  <p>Hello</p>\n</template>\n";
  const file = await read("App.vue", (response) => response.end(source));
  expect(file).toMatchObject({ name: "App.vue", text: source });
});

it("the download of an endless file is cut off, whatever size it claims", async () => {
  const file = await read("endless.txt", (response) => {
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(16_384))) {}
    };
    response.on("drain", more);
    more();
  });
  expect(file).toEqual({
    name: "endless.txt",
    mediaType: "application/octet-stream",
    size: 40,
    limit: LARGEST_TEXT_FILE,
  });
});
