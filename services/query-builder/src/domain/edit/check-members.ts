/** The last check before a file is written: only the intended members of one class and the imports have changed. */
import type { ClassSource } from '../source/class-source';
import { ts } from '../source/parse';
import { UnverifiedEditError } from './unverified-edit';

export interface IntendedChange {
  readonly added?: string;
  readonly removed?: readonly ts.ClassElement[];
  readonly replaced?: ts.ClassElement;
}

/**
 * Throws UnverifiedEditError when anything else differs. `after` was read from the text that is about to be written.
 */
export function checkMembers(
  before: ClassSource,
  after: ClassSource,
  { added, removed = [], replaced }: IntendedChange,
): void {
  // A property may gain the semicolon that divides it from what has come to follow it.
  const textOf =
    ({ file }: ClassSource) =>
    (member: ts.Node): string =>
      ts.isPropertyDeclaration(member) ? member.getText(file).replace(/;$/, '') : member.getText(file);
  const standing = before.owner.members
    .filter((member) => !removed.includes(member) && member !== replaced)
    .map(textOf(before));
  const now = after.owner.members.map(textOf(after));
  const kept = [...standing];
  const others = now.filter((member) => {
    if (member !== kept[0]) return true;
    kept.shift();
    return false;
  });
  const expected = (added === undefined ? 0 : 1) + (replaced === undefined ? 0 : 1);
  if (kept.length > 0 || others.length !== expected)
    throw new UnverifiedEditError('an edit would change other members than it should');
  if (added !== undefined && !others.includes(added))
    throw new UnverifiedEditError('an added member is not in the file as it was written');
  if (outside(before) !== outside(after))
    throw new UnverifiedEditError('an edit would change something outside its class');
}

function outside({ file, owner, text }: ClassSource): string {
  const others = file.statements
    .filter((statement) => statement !== owner && !ts.isImportDeclaration(statement))
    .map((statement) => statement.getText(file));
  return [...others, text.slice(owner.getStart(file), owner.members.pos)].join('\n');
}
