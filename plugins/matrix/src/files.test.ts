import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "@hermes/core";
import { expect, it } from "vitest";
import { MatrixApi } from "./api.ts";
import { createDownload } from "./files.ts";

const ignore = () => {};
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => logger };

it("a file that does not end, whatever its message says, is not read to the end", async () => {
  const server = createServer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(16_384))) {}
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const download = createDownload(new MatrixApi({ baseUrl, accessToken: "syt_x" }, logger), logger);
    expect(await download({ url: "mxc://elsewhere.test/endless", encrypted: null })).toBeNull();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
