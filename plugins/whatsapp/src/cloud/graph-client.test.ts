import { listenOnLoopback } from "@hermes/emulator";
import { expect, it } from "vitest";
import { startElsewhere } from "../../test/harness.ts";
import { GraphClient } from "./graph-client.ts";

const accessToken = "EAAsecret";
const { signal } = new AbortController();

it("the token goes to nobody but Meta, wherever a file is said to lie", async () => {
  await using elsewhere = await startElsewhere();
  const graph = new GraphClient({ graphUrl: "http://127.0.0.1:1/v25.0", accessToken });
  await expect(graph.download(`${elsewhere.url}/file`, signal)).rejects.toMatchObject({
    code: "PLATFORM_UNAVAILABLE",
    message: expect.stringContaining("outside of Meta's servers"),
  });
  expect(elsewhere.asked).toEqual([]);
});

it("the client does not follow redirects of Meta's server", async () => {
  await using elsewhere = await startElsewhere();
  const meta = await listenOnLoopback((_, response) => {
    response.writeHead(302, { location: elsewhere.url }).end();
  });
  const graph = new GraphClient({ graphUrl: meta.url, accessToken });
  await expect(graph.call({ path: "1" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  await expect(graph.download(`${meta.url}/file`, signal)).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  await meta.close();
  expect(elsewhere.asked).toEqual([]);
});
