import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-context-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In a process of its own, since an error that nobody catches ends one. */
async function run(script: string): Promise<string[]> {
  const file = join(folder, "script.mjs");
  const context = JSON.stringify(new URL("./plugin-context.ts", import.meta.url).href);
  writeFileSync(
    file,
    `import { asHosts, asOwned, attributeErrors, runAs, runAsHost } from ${context};
     const owner = (name) => ({ fail: (error) => console.log(name, error.message) });
     const errors = attributeErrors((error) => console.log("nobody", error.message));
     ${script}`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 });
  return stdout.trim().split("\n").sort();
}

test("an uncaught error reaches the plugin that it came from, and the others go on", async () => {
  const lines = await run(`
    runAs(owner("a"), () => {
      setTimeout(() => { throw new Error("in a timer"); }, 1);
      Promise.reject(new Error("in a promise"));
    });
    runAs(owner("b"), async () => { await null; throw new Error("after a wait"); });
    setTimeout(() => console.log("alive"), 30);`);
  expect(lines).toEqual(["a in a promise", "a in a timer", "alive", "b after a wait"]);
});

test("a plugin that ends the process is stopped there, and the others go on", async () => {
  const lines = await run(`
    runAs(owner("a"), () => setTimeout(() => { process.exit(0); console.log("after it"); }, 1));
    setTimeout(() => console.log("alive"), 30);`);
  expect([...new Set(lines)]).toEqual(["a it called process.exit(0)", "alive"]);
});

test("a plugin's output goes to its reader, and into nobody's document", async () => {
  const lines = await run(`
    const printed = [];
    const quiet = { fail() {}, print: (text) => printed.push(text.trim()) };
    await runAs(quiet, async () => {
      console.log("from a plugin");
      await null;
      process.stderr.write("beside it");
      await new Promise((resolve) => process.stdout.write(Buffer.from("in bytes"), resolve));
    });
    runAs(owner("a"), () => console.log("who takes no prints"));
    errors[Symbol.dispose]();
    runAs(quiet, () => console.log("afterwards"));
    console.log("printed", JSON.stringify(printed));`);
  expect(lines).toEqual(["afterwards", 'printed ["from a plugin","beside it","in bytes"]', "who takes no prints"]);
});

test("whoever is no plugin can end the process", async () => {
  expect(await run('console.log("before"); process.exit(0); console.log("after");')).toEqual(["before"]);
});

test("an error in a handler of a connection is the plugin's that made it", async () => {
  const lines = await run(`
    import { createServer, get } from "node:http";
    const server = createServer((_, response) => response.end("x"));
    server.listen(0, "127.0.0.1", () => {
      const url = "http://127.0.0.1:" + server.address().port;
      runAs(owner("a"), () => get(url, { agent: false }, (response) => {
        server.close();
        response.on("data", () => { throw new Error("in a handler"); });
      }));
    });`);
  expect(lines).toEqual(["a in a handler"]);
});

test("an error in the host's own code is nobody's, also when a plugin called it", async () => {
  const lines = await run(`
    runAs(owner("a"), () => runAsHost(() => setTimeout(() => { throw new Error("of the host"); }, 1)));
    setTimeout(() => { throw new Error("of nobody"); }, 1);`);
  expect(lines).toEqual(["nobody of nobody", "nobody of the host"]);
});

test("an error after an adapter's method is the plugin's, though the host called it", async () => {
  const lines = await run(`
    class Adapter { #x = 1; send() { setTimeout(() => { throw new Error("left " + this.#x); }, 1); return this.#x; } }
    console.log("returned", asOwned(new Adapter(), owner("a")).send());`);
  expect(lines).toEqual(["a left 1", "returned 1"]);
});

test("a plugin gets the named methods of the host, and their errors are nobody's", async () => {
  const lines = await run(`
    class Host {
      #x = 1;
      ask(y) { setTimeout(() => { throw new Error("asked " + (this.#x + y)); }, 1); return "answer"; }
      keep() {}
    }
    const given = asHosts(new Host(), "ask");
    const answer = await runAs(owner("a"), () => given.ask(2));
    console.log(Object.keys(given).join(), "keep" in given, answer);`);
  expect(lines).toEqual(["ask false answer", "nobody asked 3"]);
});

test("a plugin that asks the host gets a HermesError for whatever fails there", async () => {
  const lines = await run(`
    const given = asHosts({ ask() { throw new TypeError("what is that?"); } }, "ask");
    await given.ask().catch((error) => console.log(error.name, error.code));`);
  expect(lines).toEqual(["HermesError INTERNAL"]);
});

test("an error of a plugin ends nothing even when nobody takes the others any more", async () => {
  const left = `
    runAs(owner("a"), () => setTimeout(() => { throw new Error("left behind"); }, 1));
    errors[Symbol.dispose]();`;
  expect(await run(`${left} setTimeout(() => console.log("alive"), 30);`)).toEqual(["a left behind", "alive"]);
  const ended = run(`${left} setTimeout(() => { throw new Error("of nobody"); }, 10);`);
  await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("Error: of nobody") });
});
