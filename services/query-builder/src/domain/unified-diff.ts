/** The difference of two texts for people, as a unified diff. */

const contextLines = 3;
const maxDistance = 2_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Empty when the texts are equal. `path` is the heading of both sides. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const part = differingPart(before, after);
  const lines = compare(linesOf(part.before), linesOf(part.after));
  const hunks: string[] = [];
  let [oldAt, newAt, index] = [part.line, part.line, 0];
  while (index < lines.length) {
    const end = endOfHunk(lines, index);
    const start =
      end === undefined
        ? lines.length
        : Math.max(index, lines.findIndex(({ mark }, at) => at >= index && mark !== ' ') - contextLines);
    const skipped = start - index;
    [oldAt, newAt] = [oldAt + skipped, newAt + skipped];
    if (end === undefined) break;
    const shown = lines.slice(start, end);
    const [olds, news] = [
      shown.filter(({ mark }) => mark !== '+').length,
      shown.filter(({ mark }) => mark !== '-').length,
    ];
    hunks.push(
      `@@ -${olds === 0 ? oldAt - 1 : oldAt},${olds} +${news === 0 ? newAt - 1 : newAt},${news} @@\n${shown.map(({ mark, text }) => `${mark}${text}`).join('\n')}`,
    );
    [oldAt, newAt, index] = [oldAt + olds, newAt + news, end];
  }
  return `--- a/${path}\n+++ b/${path}\n${hunks.join('\n')}\n`;
}

/**
 * The parts of both texts from shortly before the first difference to shortly after the last one, and the line where
 * they begin.
 */
function differingPart(
  before: string,
  after: string,
): { readonly before: string; readonly after: string; readonly line: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  let start = before.lastIndexOf('\n', head - 1) + 1;
  for (let lines = 0; lines < contextLines && start > 0; lines += 1)
    start = start < 2 ? 0 : before.lastIndexOf('\n', start - 2) + 1;
  // The first line of the equal end, and the lines after it that are context.
  let end = before.length - tail;
  for (let lines = 0; lines <= contextLines && end < before.length; lines += 1)
    end = before.indexOf('\n', end) + 1 || before.length;
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - (before.length - end)),
    line: newlinesIn(before, start) + 1,
  };
}

function newlinesIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where the next hunk ends, or undefined when nothing differs from here on. */
function endOfHunk(lines: readonly Line[], from: number): number | undefined {
  let last: number | undefined;
  for (let at = from; at < lines.length; at += 1) {
    if (lines[at]!.mark !== ' ') last = at;
    else if (last !== undefined && at - last > 2 * contextLines) break;
  }
  return last === undefined ? undefined : Math.min(lines.length, last + contextLines + 1);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '␍'));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** Myers' greedy search: its cost grows with the difference, not with the size of the file. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  const trail: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let distance = 0; distance <= Math.min(before.length + after.length, maxDistance); distance += 1) {
    trail.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -distance; k <= distance; k += 2) {
      const down = k === -distance || (k !== distance && (next.get(k - 1) ?? -1) < (next.get(k + 1) ?? -1));
      let x = down ? (next.get(k + 1) ?? 0) : (next.get(k - 1) ?? 0) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      next.set(k, x);
      if (x >= before.length && x - k >= after.length) return walkBack(before, after, trail);
    }
    reach = next;
  }
  return [...before.map((text): Line => ({ mark: '-', text })), ...after.map((text): Line => ({ mark: '+', text }))];
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): Line[] {
  const lines: Line[] = [];
  let [x, y] = [before.length, after.length];
  for (let distance = trail.length - 1; distance >= 0; distance -= 1) {
    const reach = trail[distance]!;
    const k = x - y;
    const down = k === -distance || (k !== distance && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const previousX = reach.get(down ? k + 1 : k - 1) ?? 0;
    const previousY = previousX - (down ? k + 1 : k - 1);
    while (x > previousX && y > previousY && x > 0 && y > 0) {
      lines.push({ mark: ' ', text: before[x - 1]! });
      x -= 1;
      y -= 1;
    }
    if (distance === 0) break;
    if (down) lines.push({ mark: '+', text: after[y - 1]! });
    else lines.push({ mark: '-', text: before[x - 1]! });
    [x, y] = [previousX, previousY];
  }
  return lines.reverse();
}
