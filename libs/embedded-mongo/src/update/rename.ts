/** `$rename`: the source is removed and its value set at the target; neither may be inside an array. */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { unchanged } from './apply-result';
import type { TreeNode } from './update-tree';
import { addChange, checkedParts } from './update-tree';

export function addRename(root: TreeNode, source: string, target: Value): void {
  if (typeof target !== 'string') return failCommand(2, `The 'to' field for $rename must be a string: ${source}`);
  const from = checkedParts(source);
  const to = checkedParts(target);
  if (to[0] === '_id') failCommand(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  if (source === target) failCommand(2, `The source and target field for $rename must differ: ${source}`);
  for (const parts of [from, to]) {
    if (parts.some((part) => part === '$' || part.startsWith('$[')))
      failCommand(2, `The field for $rename may not be dynamic: ${parts.join('.')}`);
  }
  addChange(root, source, {
    operator: '$rename',
    creates: false,
    apply: (current) => (current === undefined ? unchanged : undefined),
  });
  addChange(root, target, {
    operator: '$rename',
    creates: true,
    apply: (_current, context) => {
      const value = readOutsideArrays(context.root, from, 'source');
      if (value === undefined) return unchanged;
      readOutsideArrays(context.root, to, 'destination');
      return value;
    },
  });
}

/** The value at the path; throws code 2 when an array is on the way. */
function readOutsideArrays(root: Doc, parts: string[], role: string): Value | undefined {
  let current: Value | undefined = root;
  for (const part of parts) {
    if (Array.isArray(current))
      return failCommand(2, `The ${role} field cannot be an array element, '${parts.join('.')}'`);
    current = current instanceof Map ? current.get(part) : undefined;
  }
  return current;
}
