import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, get as getPlainly } from "node:http";
import { createServer as createEncryptedServer, get as getEncrypted } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { startProxyServer } from "@hermes/testing/proxy-server";
import { expect, test } from "vitest";
import { reasonOf } from "../errors.ts";
import { readProxySettings, secretsOfEnvironment } from "./proxy-settings.ts";
import { useProxy } from "./use-proxy.ts";

async function listening<T extends Server>(server: T): Promise<T & { readonly port: number }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** The body that answers a request of `node:http` or `node:https`. */
const answerTo = (request: ReturnType<typeof getPlainly>) =>
  new Promise<string>((resolve, reject) => {
    request.on("error", reject).on("response", (response) => resolve(text(response)));
  });

test("fetch and HTTP agents reach a host that only the proxy knows", async () => {
  await using proxy = await startProxyServer({ credentials: "ann:p@ss" });
  await using server = await listening(createServer((request, response) => response.end(request.headers.host)));
  const end = useProxy({ HTTP_PROXY: `http://ann:p%40ss@127.0.0.1:${proxy.port}` });
  const url = `http://api.test:${server.port}/`;
  expect(await (await fetch(url)).text()).toBe(`api.test:${server.port}`);
  expect(await answerTo(getPlainly(url, { agent: false }))).toBe(`api.test:${server.port}`);
  expect(proxy.asked).toEqual([`api.test:${server.port}`, `api.test:${server.port}`]);
  end();
  await expect(fetch(`http://other.invalid:${server.port}/`)).rejects.toThrow();
  expect(proxy.asked).toHaveLength(2);
  server.closeAllConnections();
});

test("TLS through the proxy is checked against the host's own certificate", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-proxy-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=api.test", "-addext", "subjectAltName=DNS:api.test"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", keyFile, "-out", certFile, ...names], { stdio: "pipe" });
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
  rmSync(folder, { recursive: true });

  await using server = await listening(
    createEncryptedServer({ key, cert }, (_request, response) => response.end("safe")),
  );
  await using proxy = await startProxyServer({ portOf: () => server.port });
  const end = useProxy({ https_proxy: `127.0.0.1:${proxy.port}` });
  expect(await answerTo(getEncrypted("https://api.test/", { ca: cert, agent: false }))).toBe("safe");
  await expect(answerTo(getEncrypted("https://other.test/", { ca: cert, agent: false }))).rejects.toMatchObject({
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
  });
  const socket = connect({ host: "api.test", port: 443, ca: cert });
  await once(socket, "secureConnect");
  socket.destroy();
  expect(proxy.asked).toEqual(["api.test:443", "other.test:443", "api.test:443"]);
  end();
  server.closeAllConnections();
});

test("a proxy that refuses is named in the error without its password", async () => {
  await using proxy = await startProxyServer({ credentials: "ann:right" });
  const end = useProxy({ HTTP_PROXY: `http://ann:wr0ng-passw0rd@127.0.0.1:${proxy.port}` });
  const error = await fetch("http://api.test/").catch((thrown: unknown) => thrown);
  expect(reasonOf((error as Error).cause)).toBe(
    `the proxy 127.0.0.1:${proxy.port} asks for a user and a password (407); they go into its address: http://user:password@host`,
  );
  end();
  const endDead = useProxy({ HTTP_PROXY: "http://127.0.0.1:1" });
  const dead = await fetch("http://api.test/").catch((thrown: unknown) => thrown);
  expect((dead as Error).cause).toMatchObject({
    code: "EPROXY",
    message: "the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED)",
  });
  endDead();
});

test.each([
  ["", "localhost", 80, false],
  ["", "127.1.2.3", 80, false],
  ["", "[::1]", 80, false],
  ["", "api.test", 443, true],
  ["api.test", "api.test", 443, false],
  ["test", "api.test", 443, false],
  [".api.test", "api.test", 443, false],
  ["*.api.test", "a.api.test", 443, false],
  ["pi.test", "api.test", 443, true],
  ["api.test:8443, other", "api.test", 443, true],
  ["api.test:8443, other", "API.test.", 8443, false],
  ["10.0.0.0/8", "10.1.2.3", 443, false],
  ["10.0.0.0/8", "11.1.2.3", 443, true],
  ["fd00::/8", "[fd00::1]", 443, false],
  ["*", "api.test", 443, false],
  ["", "proxy.test", 3128, false],
])("NO_PROXY=%j decides whether %s:%i goes through the proxy: %j", (exceptions, host, port, isProxied) => {
  const settings = readProxySettings({ HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: exceptions });
  expect(settings?.proxyFor(host, port, true)).toEqual(isProxied ? expect.objectContaining({ port: 3128 }) : null);
});

test.each(["socks5://ann:s3cret@host:1080", "http://"])(
  "an invalid proxy address is refused without repeating its password: %s",
  (address) => {
    let message = "";
    try {
      readProxySettings({ HTTPS_PROXY: address });
    } catch (error) {
      message = reasonOf(error);
    }
    expect(message).toMatch(/^The environment variable HTTPS_PROXY .*http:\/\/host:port/);
    expect(message).not.toContain("s3cret");
  },
);

test("proxy passwords are known secrets, as written and as sent", () => {
  expect(secretsOfEnvironment({ https_proxy: "ann:p%40ss@proxy.test:1" })).toEqual([
    "p%40ss",
    "p@ss",
    Buffer.from("ann:p@ss").toString("base64"),
  ]);
});

test.each([
  ["http://ann:p@ss-w0rd@proxy.test:1", "p@ss-w0rd", "ann:p@ss-w0rd"],
  ["http://ann:p/ss-w0rd@proxy.test:1", "p/ss-w0rd", "ann:p/ss-w0rd"],
  ["http://t0ken-alone@proxy.test:1", "t0ken-alone", "t0ken-alone:"],
])("the credentials in the proxy address %s are known secrets", (https_proxy, secret, sent) => {
  const known = secretsOfEnvironment({ https_proxy });
  expect(known).toContain(secret);
  expect(known).toContain(Buffer.from(sent).toString("base64"));
});
