/** Two authors changed one query: the changes of each, and both combined where they do not overlap. Pure. */
import { inputOf, type Form } from './form';

export interface Difference {
  /** `endpoint`, `params/where`. */
  readonly part: string;
  readonly before: string;
  readonly theirs: string;
  readonly mine: string;
  readonly both: boolean;
}

type Parts = Readonly<Record<string, unknown>>;

function partsOf(form: Form): Parts {
  const { params = {}, ...others } = inputOf(form) as Readonly<Record<string, unknown>> & { params?: object };
  return {
    ...others,
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`params/${name}`, value])),
  };
}

const text = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** Every part in which one of the two differs from the common start. */
export function differencesOf(before: Form, theirs: Form, mine: Form): Difference[] {
  const [from, other, own] = [partsOf(before), partsOf(theirs), partsOf(mine)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(other), ...Object.keys(own)])];
  return names.flatMap((part) => {
    const [was, they, me] = [text(from[part]), text(other[part]), text(own[part])];
    if (was === they && was === me) return [];
    return [{ part, before: was, theirs: they, mine: me, both: they !== was && me !== was && they !== me }];
  });
}

/** Their state with my changes applied; a part that both changed keeps theirs. */
export function combined(before: Form, theirs: Form, mine: Form): Form {
  const taken = differencesOf(before, theirs, mine).filter((each) => each.mine !== each.before && !each.both);
  return taken.reduce<Form>((form, { part }) => {
    if (!part.startsWith('params/')) return { ...form, [part]: mine[part as keyof Form] };
    const name = part.slice('params/'.length);
    const { [name]: _theirs, ...others } = form.params;
    const own = mine.params[name];
    return { ...form, params: own === undefined ? others : { ...others, [name]: own } };
  }, theirs);
}
