/** Writes a plan, file by file in its order. When a later file cannot be written, the earlier ones are restored. */
import type { FileChange } from '@platform/builder';
import type { FileWrite, Plan } from '../domain/edit/plan';
import { unifiedDiff } from '../domain/unified-diff';
import type { PageProject } from '../store/page-project';
import { Refused } from './answer';
import type { FileText, RunOptions } from './ports';

/** Returns what was written. Throws Refused when the plan is a refusal or the review rejects it. */
export async function commit(project: PageProject, plan: Plan, { review }: RunOptions): Promise<readonly FileChange[]> {
  if (plan.kind === 'refused') throw new Refused(plan.error);
  const intended = changesOf(plan.writes);
  if (review && !review(intended, plan.writes))
    throw new Refused({ code: 'unsupported', detail: 'nothing was written: the review said no' });
  const written: FileWrite[] = [];
  for (const write of plan.writes) {
    try {
      await project.write(write.path, write.before, write.text);
      written.push(write);
    } catch (error) {
      if (write.cleanup) continue;
      await giveBack(project, written);
      throw error;
    }
  }
  return changesOf(written);
}

/**
 * Best effort: the files are valid in either case, and a text that another writer changed meanwhile is left as it is.
 */
async function giveBack(project: PageProject, written: readonly FileWrite[]): Promise<void> {
  for (const { path, before, text } of [...written].reverse())
    await project.write(path, text, before).catch(() => undefined);
}

/** One entry per file, from its first text to its last. */
export function textsOf(writes: readonly FileText[]): FileText[] {
  return [...new Set(writes.map(({ path }) => path))].map((path) => {
    const own = writes.filter((write) => write.path === path);
    return { path, before: own[0]!.before, text: own.at(-1)!.text };
  });
}

/** The change of each file, from its first text to its last. */
export function changesOf(writes: readonly FileText[]): FileChange[] {
  return textsOf(writes).map(({ path, before, text }) => ({
    path,
    kind: 'changed',
    diff: unifiedDiff(path, before, text),
  }));
}
