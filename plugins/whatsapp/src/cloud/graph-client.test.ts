import { answerJson, listenOnLoopback } from "@hermes/emulator";
import { expect, it } from "vitest";
import { startElsewhere } from "../../test/harness.ts";
import { GraphClient } from "./graph-client.ts";

const accessToken = "EAAsecret";
const { signal } = new AbortController();

it("the token goes to nobody but Meta, wherever a file is said to lie", async () => {
  await using elsewhere = await startElsewhere();
  const graph = new GraphClient({ graphUrl: "http://127.0.0.1:1/v25.0", accessToken });
  await expect(graph.download(`${elsewhere.url}/file`, signal)).rejects.toMatchObject({
    code: "PLATFORM_REJECTED",
    message: expect.stringContaining("outside of Meta's servers"),
  });
  expect(elsewhere.asked).toEqual([]);
});

it.each([
  [500, { error: { code: 131000, message: "Something went wrong" } }, "PLATFORM_UNCERTAIN"],
  [500, { error: { code: 1, message: "An unknown error occurred" } }, "PLATFORM_UNCERTAIN"],
  [502, { error: { code: 999999, message: "Never heard of" } }, "PLATFORM_UNCERTAIN"],
  [504, {}, "PLATFORM_UNCERTAIN"],
  [500, { error: { code: 131016, message: "Service unavailable" } }, "PLATFORM_UNAVAILABLE"],
  [503, { error: { code: 999999, message: "Never heard of" } }, "PLATFORM_UNAVAILABLE"],
])("a send that Meta answers with %i %o is %s", async (status, body, code) => {
  const meta = await listenOnLoopback((_, response) => answerJson(response, status, body));
  const graph = new GraphClient({ graphUrl: meta.url, accessToken });
  await expect(graph.call({ method: "POST", path: "1/messages", mayBeDone: true })).rejects.toMatchObject({ code });
  await expect(graph.call({ path: "1" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  await meta.close();
});

it("the client does not follow redirects of Meta's server", async () => {
  await using elsewhere = await startElsewhere();
  const meta = await listenOnLoopback((_, response) => {
    response.writeHead(302, { location: elsewhere.url }).end();
  });
  const graph = new GraphClient({ graphUrl: meta.url, accessToken });
  await expect(graph.call({ path: "1" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  expect((await graph.download(`${meta.url}/file`, signal)).status).toBe(302);
  await meta.close();
  expect(elsewhere.asked).toEqual([]);
});
