/** A random number from 0 up to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a person would allow. */
const GOOD = [
  "ls",
  "ls src",
  "git status",
  "npm test",
  "ls 'a b'",
  'ls "src"',
  "ls > out/list",
  "ls 2>&1",
  "cd src && ls",
];

/** What nobody allowed: a program that leaves a trace, and writing outside. */
const EVIL = [
  "evil",
  "evil x",
  "e''vil",
  "ev\\il",
  "> ../outside",
  ": >> a.txt",
  "npm publish",
  "ls > a.txt",
  "git push",
];

/** Ways to have a line do more than it seems to. `G` stands for what is allowed, `E` for what is not. */
const WAYS = [
  ...["G", "G", "G && G", "G; G", "G | G", "(G)", "{ G; }", "G # E", "! G", "G &", "G; G || G"],
  ...["G; E", "G && E", "G || E", "G | E", "G & E", "G\nE", "G\rE", "G |& E", "(E)", "{ E; }", "! E", "G;\tE"],
  ...["ls $(E)", "ls `E`", 'ls "$(E)"', "ls <(E)", "ls >(E)", "ls > >(E)", "cat <<X\n$(E)\nX", "ls <<< $(E)"],
  ...[`ls \${x:-$(E)}`, `ls "\${x:-\`E\`}"`, "ls $((a[$(E)]))", "(( a[$(E)] ))", "a[$(E)]=1", "[[ $(E) ]]", "x=$(E)"],
  ...["ls() { E; }; ls", "function ls { E; }\nls", "alias ls='E'; ls", "trap 'E' EXIT; ls", "eval 'E'", "command E"],
  ...[
    "if ls; then E; fi",
    "for x in 1; do E; done",
    "while ls; do E; break; done",
    "case a in a) E;; esac",
    "until E; do ls; done",
  ],
  ...[
    "X=evil; $X",
    "X=evil ls; $X",
    "PATH=.:$PATH ls",
    "BASH_ENV=a.txt ls",
    "export X=evil; $X",
    "read X <<< evil; $X",
  ],
  ...[
    "{evil,x}",
    "$'\\x65vil'",
    '$"evil"',
    "ls {a,$(E)}",
    "printf -v X evil; $X",
    "source /dev/stdin <<< 'E'",
    ". ./a.txt",
  ],
  ...["env E", "time E", "exec E", "coproc E", "builtin eval 'E'", "xargs evil < a.txt", "echo 'E' | sh", "sh -c 'E'"],
  ...[
    "G > a.txt",
    "G >| ../outside",
    "G &> a.txt",
    "G >& a.txt",
    "G <> a.txt",
    "G 2> a.txt",
    "G >> out/../a.txt",
    "> a.txt G",
  ],
  ...[
    "G > out/link",
    "G > out/$(E)",
    "G > out/ok a.txt",
    "cd .. && ls > outside",
    "cd out; ls > ../a.txt",
    "cd src && ls > a.txt",
  ],
  ...[
    "cd src && ls > ../out/ok",
    "G \\\nE",
    "G \\\n; E",
    "ls 'a\n' ; E",
    "ls 'a'\\''; E'",
    'ls "a\\"; E"',
    "ls \\; E",
    "ls \\\\; E",
  ],
  ...[
    "ls \u00a0; E",
    "ls\u2028E",
    "ls \u200b; E",
    "ls a#; E",
    "ls a #; E",
    "ls '#'; E",
    "cat <<'X'\nE\nX\nE",
    "cat <<X; E\nX",
  ],
  ...[
    "ls $[ $(E) ]",
    "test -v 'a[$(E)]'; ls",
    "ls !(E)",
    "ls @($(E))",
    "select x in a; do E; done",
    "G;;E",
    "ls 1>a.txt",
    "ls a1>a.txt",
    "ls 'a'2>a.txt",
  ],
];

/** Signs that mean something to bash. */
const SIGNS = [..." \t\n;&|<>()$`\"'\\{}#!*?[]~=-", "&&", "$(", "${", "<<", "\\\n", "''", "$'"];

/** Lines that do more than they seem to; every other one with a sign more or a character less somewhere. */
export function hostileLines(count: number, random: () => number): string[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, (_, number) => {
    const way = WAYS[number % WAYS.length] ?? "G";
    const line = way.replaceAll(/\b[GE]\b/g, (letter) => pick(letter === "G" ? GOOD : EVIL));
    // The first time round each way is taken as it is.
    if (number < WAYS.length || random() < 0.2) return line;
    const at = Math.floor(random() * (line.length + 1));
    return line.slice(0, at) + (random() < 0.75 ? pick(SIGNS) : "") + line.slice(random() < 0.75 ? at : at + 1);
  });
}

/** Calls of real programs that write a file or run another one by an option or a script of theirs. */
export const HOSTILE_OPTIONS = [
  ...[
    "sed -n p a.txt",
    "sed 'w b.txt' a.txt",
    "sed -i s/a/b/ a.txt",
    "sed -ni p a.txt",
    "sed '1e evil' a.txt",
    "sed s/a/b/w a.txt",
  ],
  ...[
    "sed -n --in-pl p a.txt",
    "sed s/a/evil/e a.txt",
    "sed -e '1e evil' a.txt",
    "sed -n '1p;w b.txt' a.txt",
    "sed s,a,evil,e a.txt",
  ],
  ...[
    "awk '{print $1}' a.txt",
    "awk 'BEGIN{system(\"evil\")}'",
    "awk '{print > \"b.txt\"}' a.txt",
    "awk '{print | \"evil\"}' a.txt",
  ],
  ...[
    "awk 'BEGIN{\"evil\" | getline}'",
    'awk \'BEGIN{f="sys" "tem"; @f("evil")}\'',
    'awk \'BEGIN{printf "" >> "b.txt"}\'',
  ],
  ...[
    "find . -name a.txt",
    "find . -exec evil \\;",
    "find . -name gone -delete",
    "find . -fprint b.txt",
    "find . -ok evil \\;",
    "find a.txt -execdir evil {} +",
  ],
  ...[
    "sort a.txt",
    "sort -o b.txt a.txt",
    "sort -ob.txt a.txt",
    "sort --output=b.txt a.txt",
    "sort --outp b.txt a.txt",
    "sort a.txt -no b.txt",
  ],
  ...[
    "uniq a.txt b.txt",
    "tar -cf b.tar a.txt",
    "tar cf b.tar a.txt",
    "tar --create --file b.tar a.txt",
    "tar -tf a.tar --to-command=evil",
  ],
  ...[
    "tar -tf a.tar --checkpoint=1 --checkpoint-action=exec=evil",
    "tar -tf a.tar -I evil",
    "tar -tf a.tar --use-compress=evil",
    "tar --file=b.tar -r a.txt",
  ],
  ...[
    "git status",
    "git -c alias.x=!evil x",
    "git -c core.fsmonitor=evil status",
    "git diff --no-index --output=b.txt a.txt src",
    "git --git-dir=x status",
  ],
  ...[
    "git diff --no-index --out=b.txt a.txt src",
    "git grep --no-index -Oevil a a.txt",
    "git config --file b.txt a.b c",
  ],
  ...[
    "sed w.x a.txt",
    "sed e.x a.txt",
    "env evil",
    "xargs evil",
    "nice evil",
    "timeout 1 evil",
    "bash -c evil",
    "cat a.txt",
    "head -n 1 a.txt",
    "ls -la src",
    "split --filter=evil a.txt",
  ],
];
