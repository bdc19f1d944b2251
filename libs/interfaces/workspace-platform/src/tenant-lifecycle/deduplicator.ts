/**
 * Consumers are called at least once per operation (specification §6 rules 2 and 4): two reconcilers, a lost receipt,
 * or a crash between effect and receipt repeat a call. A deduplicator runs the effect once per operationId as far as it
 * can remember, and answers repeats with the first receipt.
 */
import type { TenantLifecycleConsumerReceipt, TenantLifecycleMessage } from './types';

export interface OperationDeduplicator {
  /**
   * The receipt of this operation: the stored one, or the one that `effect` returns now. Concurrent calls for the same
   * operation share one run; a run that throws is forgotten, so a repeat runs again.
   */
  once(
    message: Pick<TenantLifecycleMessage, 'operationId'>,
    effect: () => Promise<TenantLifecycleConsumerReceipt>,
  ): Promise<TenantLifecycleConsumerReceipt>;
}

/**
 * Stores the last `capacity` operations (default 10,000) in memory. A restart loses them, so this suits effects that
 * are idempotent anyway.
 */
export function createOperationDeduplicator({
  capacity = 10_000,
}: { readonly capacity?: number } = {}): OperationDeduplicator {
  const remembered = new Map<string, TenantLifecycleConsumerReceipt>();
  return sharingRuns(async ({ operationId }, effect) => {
    const known = remembered.get(operationId);
    if (known) return known;
    const receipt = await effect();
    remembered.set(operationId, receipt);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= capacity) break;
      remembered.delete(oldest);
    }
    return receipt;
  });
}

/** A row as it is stored: `_id` is the operationId. */
export interface StoredReceipt {
  readonly _id: string;
  readonly receiptId: string;
  readonly effectiveAt: string;
}

/** The two calls of a MongoDB collection that are needed; `db.collection<StoredReceipt>('…')` has this type. */
export interface ReceiptCollection {
  findOne(filter: { readonly _id: string }): Promise<StoredReceipt | null>;
  /** Rejects with `code` 11000 when the `_id` exists. */
  insertOne(row: StoredReceipt): Promise<unknown>;
}

/**
 * Stores receipts in a collection, across restarts and for all replicas; all of them use the receipt that was stored
 * first. After a crash between the effect and the row, the effect runs again: make the effect idempotent, or write the
 * row with it.
 */
export function createStoredOperationDeduplicator(collection: ReceiptCollection): OperationDeduplicator {
  const find = async (operationId: string): Promise<TenantLifecycleConsumerReceipt | null> => {
    const row = await collection.findOne({ _id: operationId });
    return row && { receiptId: row.receiptId, effectiveAt: row.effectiveAt };
  };
  return sharingRuns(async ({ operationId }, effect) => {
    const known = await find(operationId);
    if (known) return known;
    const receipt = await effect();
    try {
      await collection.insertOne({
        _id: operationId,
        receiptId: receipt.receiptId,
        effectiveAt: new Date(receipt.effectiveAt).toISOString(),
      });
      return receipt;
    } catch (error) {
      const first = isDuplicateKey(error) ? await find(operationId) : null;
      if (first) return first;
      throw error;
    }
  });
}

function sharingRuns(once: OperationDeduplicator['once']): OperationDeduplicator {
  const underWay = new Map<string, Promise<TenantLifecycleConsumerReceipt>>();
  return {
    once(message, effect) {
      const { operationId } = message;
      const shared = underWay.get(operationId) ?? once(message, effect).finally(() => underWay.delete(operationId));
      underWay.set(operationId, shared);
      return shared;
    },
  };
}

function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 11000;
}
