import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { notingLogger } from "@hermes/testing";
import { expect, it, onTestFinished } from "vitest";
import { openBot } from "./bot-api.ts";
import { telegramOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";

const TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1";

it("a server that redirects gets no call repeated elsewhere", async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = telegramOptions.parse({ token: TOKEN, apiRoot });
  const deps = { options, commands: [], logger: notingLogger([]), folder: tmpdir() };
  const opened = openBot(deps as unknown as Parameters<typeof openBot>[0], {
    signal: new AbortController().signal,
    moved: async () => {},
  });
  const error = toPlatformError(await opened.catch((thrown: unknown) => thrown), { mayBeDone: true });
  expect(error).toMatchObject({
    code: "PLATFORM_UNAVAILABLE",
    message: expect.stringContaining("redirects elsewhere"),
  });
  expect(heard).toEqual([`/bot${TOKEN}/getMe`]);
});
