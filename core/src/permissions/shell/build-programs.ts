import { INTERPRETER, more, type StarLimits, same } from "./star-limits.ts";

const NPM: StarLimits = {
  letters: "cCpe",
  long: [
    "call",
    "script-shell",
    "node-options",
    "prefix",
    "userconfig",
    "globalconfig",
    "shell",
    "editor",
    "viewer",
  ].concat([
    ...["browser", "git", "package", "dir", "cwd", "shell-emulator", "config", "eval", "preload"],
    // Of what a script runs.
    ...["require", "import", "loader", "format", "rulesdir", "parser", "resolver", "global-setup", "setup-files"],
  ]),
  words: /^(?:exec|x|dlx|node|explore|edit|config|set|c|init|create|innit|run-script|plugin|env)$/,
};

/** Programs that build, test, check and run other programs. */
export const BUILD_PROGRAMS: Readonly<Record<string, StarLimits>> = {
  ...same(NPM, "npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx"),
  ...same(
    { letters: "fCEIoWe", long: ["file", "makefile", "directory", "eval", "include-dir"], words: /=/ },
    "make",
    "gmake",
  ),
  ...same(
    {
      ...INTERPRETER,
      letters: "epricCIdESnmMxlBRFazW",
      long: [
        "eval",
        "print",
        "require",
        "import",
        "loader",
        "experimental-loader",
        "inspect",
        "run",
        "env-file",
      ].concat([
        ...["openssl-config", "interactive", "prof", "cpu-prof", "heap-prof", "trace-event", "diagnostic-dir"],
        ...["redirect-warnings", "report", "build-snapshot", "test-reporter", "config"],
        ...["test-global-setup", "tls-keylog", "localstorage-file", "experimental-sea-config", "execute", "init-file"],
      ]),
    },
    ...["node", "nodejs", "deno", "python", "python2", "python3", "perl", "ruby", "php", "lua", "luajit", "rscript"],
    ...["osascript", "tsx", "ts-node", "tclsh", "guile", "jshell", "ghci", "irb", "r"],
    ...[
      "ipython",
      "pypy",
      "raku",
      "julia",
      "elixir",
      "iex",
      "erl",
      "groovy",
      "scala",
      "swift",
      "ocaml",
      "racket",
      "sbcl",
    ],
    ...["wish", "crystal", "nim"],
  ),
  cargo: {
    letters: "ZC",
    long: ["config", "manifest-path", "target-dir", "fix", "out-dir", "artifact-dir"],
    words: /^(?:run|r|install|script)$|^\+/,
  },
  go: {
    words:
      /^-{1,2}(?:test\.)?(?:exec|toolexec|o|C|overlay|modfile|vettool|fuzz|\w*prof\w*|trace|\w*flags|compiler|pkgdir)|^(?:run|generate|tool|env|install)$/,
  },
  eslint: more("f", "format rulesdir parser resolve-plugins init"),
  mocha: more("rRuOn", "require import loader reporter ui file opts package node-option experimental-loader"),
  vitest: {
    ...more("r", "reporter root global-setup environment pool runner setup-files dir browser inspect", /^--coverage\./),
    own: ["run"],
  },
  jest: {
    ...more(
      "",
      "setup-files global-setup global-teardown reporters runner test-runner transform resolver env test-environment root-dir"
        .concat(" projects preset filter watch-plugins test-sequencer dependency-extractor haste module-name-mapper")
        .concat(" prettier-path snapshot-resolver coverage-directory"),
    ),
    own: ["coverage", "run", "watch"],
  },
  ...same(
    more("wdupf", "apply presets custom-formatter custom-syntax servedir"),
    "prettier",
    "biome",
    "babel",
    "stylelint",
  ),
  ...same(more("pw", "preset external"), "rollup", "webpack", "esbuild", "postcss", "vite"),
  ...same(more("p", "rootdir import-mode confcutdir basetemp junit pdbcls override-ini pastebin"), "pytest", "py.test"),
  ...same(
    more("", "load-plugins init-hook rcfile python-executable install-types junit-xml cache-dir any-exprs-report"),
    ...["pylint", "mypy", "flake8", "ruff"],
  ),
  ...same(more("rIfaAREpPT", "require format auto rakefile load libdir trace"), "rspec", "rubocop", "rake"),
  phpunit: more("d", "bootstrap printer include-path log coverage extension"),
  ...same(more("", "init-script"), "ant"),
  gradle: more("IbpDPg", "init-script build-file settings-file project-dir include-build gradle-user-home"),
  gradlew: more("IbpDPg", "init-script build-file settings-file project-dir include-build gradle-user-home"),
  ...same(more("fsDt", "file settings global-settings", /^exec:/), "mvn", "mvnw"),
  ...same(more("fdFC", "justfile working-directory shell command set taskfile dir entrypoint", /=/), "just", "task"),
  cmake: more("PEDSB", "toolchain install preset open"),
  ...same(more("ftC", "directory"), "ninja", "scons"),
  ...same(more("", "run-under bazelrc host-jvm script-path", /^run$/), "bazel", "bazelisk"),
  ...same(
    more("BX", "specs plugin wrapper", /^@|^-(?:fplugin|B|wrapper|specs|fuse-ld|load|Xclang)/),
    ...["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "javac"],
  ),
  ...same(
    more("", "shell-escape enable-write18 write18 ini fmt translate-file pdflatex latex lualatex xelatex"),
    ...["tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex", "latexmk", "context", "dvips"],
  ),
  ...same(
    more("", "", /^(?:run|exec|shell|x|tool|run-script|develop|compose|create|cp|start|script|plugin|execute)$/),
    ...["uv", "poetry", "pdm", "pipenv", "hatch", "rye", "bundle", "bundler", "conda", "mamba", "mise", "asdf", "nix"],
    ...[
      "docker",
      "podman",
      "nerdctl",
      "kubectl",
      "flatpak",
      "composer",
      "rustup",
      "dotnet",
      "volta",
      "corepack",
      "turbo",
    ],
  ),
  nx: more("", "", /^(?:exec|run-commands)$/),
};
