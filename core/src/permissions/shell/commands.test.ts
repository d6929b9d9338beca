import { expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";

const decide = async (line: string, rules: { allow?: string[]; ask?: string[]; deny?: string[] }) => {
  const context = {
    mode: "default",
    directory: "/nowhere",
    home: "/nobody/.hermes",
    shared: false,
    isOperator: true,
  } as const;
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  return (await judgeCall(call, { ...context, rules: { allow: [], ask: [], deny: [], ...rules } })).decision;
};

it.each([
  ["git log *", "git log --oneline -5 main"],
  ["git log *", "git log"],
  ["npm run *", "npm run lint -- --max-warnings=0"],
  ["npm run test:*", "npm run test:unit"],
  ["tar *", "tar -tf a.tgz"],
  ["sed *", "sed -n 1,5p src/a.ts"],
  ["sed *", "sed s/a/b/g src/a.ts"],
  ["awk *", "awk '{print $1}' src/a.ts"],
  ["find *", "find src -name '*.ts' -type f"],
  ["node scripts/*", "node scripts/a.js"],
  ["timeout 5 npm test", "timeout 5 npm test"],
  ["git -c a.b=c status", "git -c a.b=c status"],
  ["npx vitest *", "npx vitest run src"],
  ["git commit -m 'a *'", "git commit -m 'a *'"],
  ["shell", "ls src"],
])("shell(%s) allows %s", async (pattern, line) => {
  expect(await decide(line, { allow: [pattern === "shell" ? pattern : `shell(${pattern})`] })).toBe("allow");
});

it.each([
  ["npm test", "npm test x"],
  ["npm test", "./npm test"],
  ["npm test", "npm"],
  ["npm run test:*", "npm run lint"],
  ["git commit -m 'a *'", "git commit -m 'a b'"],
  ["git *", "git -c core.pager=id log"],
  ["git *", "git -C /elsewhere log"],
  ["git *", "git --exec-path=/x log"],
  ["git *", "git config core.pager id"],
  ["git log *", "git log --output=x"],
  ["git log *", "git log --outp=x"],
  ["git diff *", "git diff --ext-diff"],
  ["git grep *", "git grep -Oid x"],
  ["git fetch *", "git fetch --upload-pack=id ."],
  ["git fetch *", "git fetch 'ext::id'"],
  ["git rebase *", "git rebase -x id main"],
  ["git *", "git bisect run id"],
  ["tar *", "tar -tf a --to-command=id"],
  ["tar *", "tar xf a"],
  ["tar *", "tar -tIid -f a"],
  ["tar *", "tar -tf a --checkpoint=1 --checkpoint-action=exec=id"],
  ["sed *", "sed -i s/a/b/ a"],
  ["sed *", "sed -n -i.bak p a"],
  ["sed *", "sed 'w x' a"],
  ["sed *", "sed '1e id' a"],
  ["sed *", "sed s/a/b/w a"],
  ["sed *", "sed s/a/b/e a"],
  ["sed *", "sed --expression='1e id' a"],
  ["sed *", "sed -e '1e id' a"],
  ["sed *", "sed w.x a.txt"],
  ["sed *", "sed e.x a.txt"],
  ["sed -n *", "sed -n w.x a.txt"],
  ["*", "test -v 'a[$(id)]'"],
  ["*", "GIT -c core.pager=id log"],
  ["*", "/usr/bin/python3.11 -c 1"],
  ["*", "SUDO id"],
  ["awk *", "awk 'BEGIN{system(\"id\")}'"],
  ["awk *", "awk '{print > \"x\"}' a"],
  ["awk *", "awk '{\"id\" | getline}' a"],
  ["awk *", "awk -f x a"],
  ["node *", "node -e 1"],
  ["node *", "node --eval=1"],
  ["node *", "node -r ./x a.js"],
  ["node *", "node --import=./x a.js"],
  ["node *", "node -"],
  ["python3 *", "python3 -c 1"],
  ["npm *", "npm exec id"],
  ["npm *", "npm x id"],
  ["npm run *", "npm run a --script-shell=id"],
  ["npx *", "npx id"],
  ["find *", "find . -delete"],
  ["find *", "find . -exec id +"],
  ["find *", "find . -fprintf x y"],
  ["sort *", "sort -o x a"],
  ["sort *", "sort --compress-program=id a"],
  ["uniq *", "uniq a b"],
  ["rg *", "rg --pre=id a"],
  ["make *", "make SHELL=id"],
  ["unknown *", "unknown -c id"],
  ["unknown *", "unknown --output=x"],
  ["env *", "env id"],
  ["xargs *", "xargs id"],
  ["timeout *", "timeout 5 id"],
  ["bash *", "bash -c id"],
  ["*", "sudo id"],
  ["*", "eval id"],
  ["*", "cd src"],
  ["*", "echo a | sh"],
  ["*", "echo a | node"],
  ["node", "echo a | node"],
  ["cat *", "cat .env"],
  ["cat *", "cat ~/.ssh/id_rsa"],
  ["cat *", "cat a.pem~"],
  ["cat *", "cat .npmrc.~1~"],
  ["cat *", "cat /nobody/.hermes/store/hermes.db"],
  ["ls *", "ls > x"],
])("shell(%s) does not allow %s", async (pattern, line) => {
  expect(await decide(line, { allow: [`shell(${pattern})`] })).toBe("ask");
});

it.each([
  ["rm *", "rm x"],
  ["rm *", "/bin/rm x"],
  ["rm *", '"rm" x'],
  ["rm *", "\\rm x"],
  ["rm *", "ls && (rm x)"],
  ["rm *", "echo $(rm x)"],
  ["rm *", "rm $x"],
  ["rm *", "cat <<E\n$(rm x)\nE"],
  ["git push *", "git push"],
  ["git push *", "git -C . push origin"],
  ["git push *", "git --no-pager push"],
  ["npm publish", "npm publish"],
])("a rule that denies %s means %s", async (pattern, line) => {
  expect(await decide(line, { allow: ["shell"], deny: [`shell(${pattern})`] })).toBe("deny");
});

it.each(["git commit -m push", "git log", "npm test", "lsrm x"])(
  "what is not meant is not denied: %s",
  async (line) => {
    const deny = ["shell(git push *)", "shell(rm *)", "shell(npm publish)"];
    expect(await decide(line, { allow: ["shell"], deny })).not.toBe("deny");
  },
);
