import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { notingLogger } from "@hermes/testing";
import { expect, it, onTestFinished } from "vitest";
import { MatrixApi } from "./api.ts";
import { toPlatformError } from "./errors.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A homeserver that leads to another server, and what that one hears. */
async function redirecting(): Promise<{ readonly api: MatrixApi; readonly heard: (string | undefined)[] }> {
  const heard: (string | undefined)[] = [];
  const elsewhere = await serve((request, response) => {
    heard.push(request.headers.authorization);
    response.end("the file");
  });
  const baseUrl = await serve((request, response) => {
    response.writeHead(307, { location: `${elsewhere}${request.url}` }).end();
  });
  return { api: new MatrixApi({ baseUrl, accessToken: "syt_x" }, notingLogger([])), heard };
}

it("a homeserver that redirects gets no message sent elsewhere", async () => {
  const { api, heard } = await redirecting();
  const refused = await api.whoami().catch(toPlatformError);
  expect(refused).toMatchObject({ message: expect.stringMatching(/redirects elsewhere \(307\).*`homeserverUrl`/) });
  await expect(api.send("!room", "m.room.message", "1", { body: "Private words" })).rejects.toMatchObject({
    code: "PLATFORM_UNAVAILABLE",
  });
  expect(heard).toEqual([]);
});

it("a file that a homeserver keeps elsewhere is had from there without the token", async () => {
  const { api, heard } = await redirecting();
  const response = await api.download("mxc://example.org/a", new AbortController().signal);
  expect(await response.text()).toBe("the file");
  expect(heard).toEqual([undefined]);
});
