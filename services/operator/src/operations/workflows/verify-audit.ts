/** Checks the whole audit chain for consistency and against the operations; changes nothing. */
import type { RevisionedCollection } from '@platform/mongo';
import { faultOfRow, faultsOf, type AuditBlock } from '../domain/audit-block';
import type { Operation } from '../domain/operation';

export interface VerifyAuditPorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'find' | 'findById'>;
  readonly blocks: Pick<RevisionedCollection<AuditBlock>, 'find'>;
}

export interface AuditReport {
  readonly blocks: number;
  readonly rows: number;
  /**
   * Hash of the last block: a person who keeps a copy of it can detect later that the chain was truncated or rewritten.
   */
  readonly head: string | null;
  readonly faults: readonly string[];
}

const pageSize = 200;

async function* pages<T extends { readonly _id: string }>(
  read: (after: T | undefined) => Promise<T[]>,
): AsyncGenerator<T> {
  let last: T | undefined;
  for (;;) {
    const page = await read(last);
    yield* page;
    last = page.at(-1);
    if (page.length < pageSize) return;
  }
}

/** `expectedHash`: the head that a person noted earlier; it must still be in the chain. */
export async function verifyAudit(
  { operations, blocks }: VerifyAuditPorts,
  expectedHash?: string,
): Promise<AuditReport> {
  const faults: string[] = [];
  const requested = new Set<string>();
  const resolved = new Set<string>();
  let last: AuditBlock | null = null;
  let count = 0;
  let rows = 0;
  let expectedSeen = expectedHash === undefined;
  for await (const block of pages<AuditBlock>((after) =>
    blocks.find({}, { sort: { _id: 1 }, limit: pageSize, ...(after && { after: [after._id] }) }),
  )) {
    faults.push(...faultsOf(last, block));
    for (const row of block.rows) {
      (row.kind === 'requested' ? requested : resolved).add(row.operationId);
      const fault = faultOfRow(row, (await operations.findById(row.operationId)) ?? undefined);
      if (fault) faults.push(fault);
    }
    expectedSeen ||= block.hash === expectedHash;
    last = block;
    count += 1;
    rows += block.rows.length;
  }
  if (!expectedSeen) faults.push(`no block carries the hash ${expectedHash}: the chain was cut short or written again`);
  faults.push(...(await missing(operations, last, requested, resolved)));
  return { blocks: count, rows, head: last?.hash ?? null, faults };
}

/** Operations up to the chain's end that it does not contain. */
async function missing(
  operations: VerifyAuditPorts['operations'],
  last: AuditBlock | null,
  requested: ReadonlySet<string>,
  resolved: ReadonlySet<string>,
): Promise<string[]> {
  const faults: string[] = [];
  if (!last?.requestedUpTo) return faults;
  const { requestedUpTo, resolvedUpTo } = last;
  const reading = pages<Operation>((after) =>
    operations.find(
      { createdAt: { $lte: requestedUpTo.at } },
      { sort: { createdAt: 1, _id: 1 }, limit: pageSize, ...(after && { after: [after.createdAt, after._id] }) },
    ),
  );
  for await (const { _id, resolution } of reading) {
    if (!requested.has(_id)) faults.push(`operation ${_id}: is not in the chain`);
    const known = resolution && resolvedUpTo && resolution.at <= resolvedUpTo.at;
    if (known && !resolved.has(_id)) faults.push(`operation ${_id}: its resolution is not in the chain`);
  }
  return faults;
}
