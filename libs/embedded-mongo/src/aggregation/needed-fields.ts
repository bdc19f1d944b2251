/**
 * Which fields of the stored documents a pipeline can see. A pipeline that groups or counts names all of them, so only
 * these are read from the stored bytes; a pipeline that passes documents on needs them whole.
 */
import type { Doc, Value } from '../bson/values';

/** Names of top-level fields; undefined when whole documents are needed. */
export function neededFields(pipeline: readonly Doc[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const stage of pipeline) {
    const [entry] = stage;
    if (!entry) return undefined;
    const [name, spec] = entry;
    switch (name) {
      case '$match':
        if (!noteFilter(spec, names)) return undefined;
        break;
      case '$sort':
        if (!(spec instanceof Map)) return undefined;
        for (const path of spec.keys()) names.add(outermost(path));
        break;
      case '$limit':
      case '$skip':
        break;
      case '$count':
        return names;
      case '$group':
        return noteExpression(spec, names) ? names : undefined;
      default:
        return undefined;
    }
  }
  return undefined;
}

const outermost = (path: string): string => path.split('.', 1)[0]!;
const lists: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

/** False for an operator that may read more than it names. */
function noteFilter(filter: Value, names: Set<string>): boolean {
  if (!(filter instanceof Map)) return false;
  return [...filter].every(([name, value]) => {
    if (!name.startsWith('$')) {
      names.add(outermost(name));
      return true;
    }
    if (name === '$comment') return true;
    if (name === '$expr') return noteExpression(value, names);
    return lists.has(name) && Array.isArray(value) && value.every((each) => noteFilter(each, names));
  });
}

/** A literal text is noted too: reading one field more costs less than a rule for literals. */
function noteExpression(source: Value, names: Set<string>): boolean {
  if (typeof source === 'string') {
    if (source.startsWith('$$')) return !/^\$\$(?:ROOT|CURRENT)(?:\.|$)/.test(source);
    if (source.startsWith('$')) names.add(outermost(source.slice(1)));
    return true;
  }
  if (Array.isArray(source)) return source.every((each) => noteExpression(each, names));
  if (!(source instanceof Map)) return true;
  return [...source].every(([name, value]) => name !== 'CURRENT' && noteExpression(value, names));
}
