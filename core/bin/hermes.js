#!/usr/bin/env node
// Plain JavaScript that every Node can read, without an import before the version is known to do.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`hermes needs Node.js 22.13 or newer; this is ${process.version} (${process.execPath}).`);
  console.error("Install a newer one from https://nodejs.org, or put one that you have first in PATH.");
  process.exit(1);
}
const { readFileSync } = await import("node:fs");
const argument = process.argv.length === 3 ? process.argv[2] : "";
if (argument === "--version" || argument === "-v") {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  console.log(version);
} else {
  const { copyToRun } = await import("../dist/bundle/project-copy.js");
  const { useCodeCache } = await import("../dist/bundle/code-cache.js");
  const { pathToFileURL } = await import("node:url");
  const folder = copyToRun({
    args: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
  });
  useCodeCache(process.env);
  await import(pathToFileURL(`${folder}/dist/bundle/main.js`).href);
}
