/** What an edit would write: whole files before and after, by the same plan as the edit, without writing anything. */
import type { AddQueryInput, BuilderResult, FileChange } from '@platform/builder';
import { addQuery } from './add-query';
import { configureQuery } from './configure-query';
import { textsOf } from './commit';
import type { BuilderPorts, FileText, RunOptions } from './ports';
import { removeQuery } from './remove-query';

/** An edit with the input of the operation of the same name. */
export type Edit =
  | { readonly kind: 'add'; readonly pageRef: string; readonly input: AddQueryInput }
  | { readonly kind: 'configure'; readonly query: string; readonly patch: Partial<AddQueryInput> }
  | { readonly kind: 'remove'; readonly query: string };

export interface ReviewedEdit {
  readonly changes: readonly FileChange[];
  readonly files: readonly FileText[];
}

/** Runs the operation of an edit. */
function runEdit(ports: BuilderPorts, edit: Edit, options: RunOptions) {
  switch (edit.kind) {
    case 'add':
      return addQuery(ports, edit.pageRef, edit.input, options);
    case 'configure':
      return configureQuery(ports, edit.query, edit.patch, options);
    case 'remove':
      return removeQuery(ports, edit.query, options);
  }
}

/**
 * Every refusal that the edit itself would have, including `conflict` of another version; otherwise what it would
 * write.
 */
export async function reviewEdit(
  ports: BuilderPorts,
  edit: Edit,
  expectedVersion?: string,
): Promise<BuilderResult<ReviewedEdit>> {
  let seen: ReviewedEdit | undefined;
  const answer = await runEdit(ports, edit, {
    ...(expectedVersion !== undefined && { expectedVersion }),
    review: (changes, files) => {
      seen = { changes, files: textsOf(files) };
      return false;
    },
  });
  if (seen) return { ok: true, data: seen };
  return answer.ok ? { ok: true, data: { changes: [], files: [] } } : answer;
}
