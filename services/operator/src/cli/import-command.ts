/**
 * `npm run ops -- import workspaces <file>`: off-line; the provider is only read, and existing records do not change.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import { planIdSchema, tenantIdSchema } from '@platform/contracts-operator';
import type { Claimed, OfflineWork } from '@platform/durable/investigation';
import { shownText, shownTextRule } from '@platform/kernel';
import { z } from 'zod';
import { subscriptionsOf } from '../access/workflows/announce-access';
import { plansCollection } from '../catalogue/store/plans';
import { judgeImport, writeImport, type ImportPorts, type Judged } from '../mirror/workflows/import-workspaces';

export interface ImportCommand {
  readonly file: string;
  readonly apply: boolean;
  readonly by: Claimed;
}

const id = z.string().min(1).max(255);
const fileSchema = z.strictObject({
  workspaces: z
    .array(
      z.strictObject({
        tenantId: tenantIdSchema,
        workspaceName: z.string().min(1).max(100).regex(shownText, shownTextRule),
        planId: planIdSchema,
        owner: z.strictObject({ userId: id, email: z.email().optional() }).optional(),
        customerId: id.optional(),
        subscriptionId: id.optional(),
      }),
    )
    .min(1),
});

export function importCommandOf(
  file: string,
  values: { readonly apply: boolean; readonly by?: string | undefined; readonly 'token-file'?: string | undefined },
): ImportCommand {
  return { file, apply: values.apply, by: { email: values.by, tokenFile: values['token-file'] } };
}

function readWorkspaces(file: string): z.infer<typeof fileSchema>['workspaces'] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    throw new Misuse(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = fileSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Misuse(`${file}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  }
  const { workspaces } = read.data;
  for (const key of ['tenantId', 'customerId', 'subscriptionId'] as const) {
    const values = workspaces.flatMap((one) => one[key] ?? []);
    const twice = values.find((value, at) => values.indexOf(value) !== at);
    if (twice !== undefined) throw new Misuse(`${file}: ${key} ${twice} occurs twice`);
  }
  return workspaces;
}

/** Exits with 1 when one workspace is refused: then nothing is written. Throws `Misuse` and what the store throws. */
export async function runImportCommand({ file, apply, by }: ImportCommand, work: OfflineWork): Promise<number> {
  const { store, clock, provider, people, terminal } = work;
  if (apply) await people.personOf(by, '--token-file');
  const workspaces = readWorkspaces(file);
  const ports: ImportPorts = {
    subscriptions: subscriptionsOf(store, clock),
    plans: store.collection(plansCollection),
    provider,
    clock,
  };
  const judged: [string, Judged][] = [];
  for (const one of workspaces) judged.push([one.tenantId, await judgeImport(ports, one)]);
  const refused = judged.flatMap(([tenantId, one]) => (one.kind === 'refused' ? [`${tenantId}: ${one.why}`] : []));
  refused.forEach((line) => terminal.print(line));
  if (refused.length > 0)
    return terminal.complain(`${refused.length} of ${judged.length} refused; nothing was written.`);
  let written = 0;
  for (const [, one] of judged) if (apply && one.kind === 'new' && (await writeImport(ports, one.draft))) written += 1;
  const fresh = judged.filter(([, { kind }]) => kind === 'new').length;
  terminal.print(
    apply
      ? `${written} written, ${judged.length - written} existed already.`
      : `${fresh} would be written, ${judged.length - fresh} exist already. Nothing was written; --apply does it.`,
  );
  return exitCodes.done;
}
