/** Reserves a credit's share of its person's daily limit, in a fenced write, before the credit begins. */
import { decide, type Decided } from '@platform/durable/record';
import { contractOf, formatMoney, type Money } from '@platform/contracts-operator';
import type { Draft } from '@platform/mongo';
import type { FirstRefusal } from '../domain/first-request';
import {
  allowanceId,
  creditPartsMax,
  isGivenBack,
  spentOf,
  type CreditAllowance,
  type CreditPart,
} from '../domain/credit-allowance';
import type { CreditApproval, OperationRequest } from '../domain/operation';
import type { PlanReads } from './action-context';
import type { OperationAnswer } from './operation-answer';
import type { CreditLimitPorts, OperatorPorts } from './ports';

type Ports = Pick<OperatorPorts, 'operations' | 'databaseNow' | 'retryPolicy' | 'creditLimits'> & {
  readonly plans: PlanReads;
};
type Asked = Pick<OperationRequest, 'operationId' | 'tenantId' | 'action' | 'values' | 'role' | 'actor'> & {
  /** The currency that an earlier attempt has fixed; absent: that of the plan. */
  readonly fixedCurrency?: string | undefined;
};

interface Limited {
  readonly id: string;
  readonly person: string;
  readonly day: string;
  readonly currency: string;
  readonly amountCents: number;
  readonly limit: number;
  readonly limits: CreditLimitPorts;
}

/** Null where no limit applies: another action, a role without a limit, or a plan that is not in the catalog. */
async function limitedOf(ports: Ports, asked: Asked, planId: string): Promise<Limited | null> {
  const { creditLimits: limits } = ports;
  const [amountCents] = Object.entries(contractOf(asked.action).values).flatMap(([name, { kind }]) =>
    kind === 'amount' ? [asked.values[name]] : [],
  );
  if (!limits || typeof amountCents !== 'number') return null;
  const limit = Object.entries(limits.perDay).find(([role]) => role === asked.role)?.[1];
  if (limit === undefined) return null;
  const [plan, now] = await Promise.all([ports.plans.findById(planId), ports.databaseNow()]);
  const currency = asked.fixedCurrency ?? plan?.currency;
  // The action itself refuses such a credit.
  if (currency === undefined) return null;
  const [day, person] = [now.toISOString().slice(0, 10), asked.actor.id];
  return { id: allowanceId(person, day, currency), person, day, currency, amountCents, limit, limits };
}

/** What is left, not counting this operation's own part. */
async function leftOf(ports: Ports, { limit }: Limited, parts: readonly CreditPart[], operationId: string) {
  const judged = await Promise.all(
    parts.map(async (part) => ({ part, back: isGivenBack(part, await ports.operations.findById(part.operationId)) })),
  );
  const kept = judged.filter(({ back }) => !back).map(({ part }) => part);
  return { kept, left: limit - spentOf(kept, operationId) };
}

function refusalOf({ amountCents, currency, limit }: Limited, left: number): FirstRefusal {
  const money = (cents: number) => formatMoney({ amountCents: Math.max(0, cents), currency });
  const message = `${money(amountCents)} is more than the ${money(left)} that are left of the ${money(limit)} a day of your role. Give less, or propose it with this operation id for a second person to approve.`;
  return { code: 'credit_limit_reached', errors: [{ pointer: '/amountCents', message }] };
}

/**
 * Two first requests with one id may name different amounts, and it is not known yet which of them the record will
 * hold, so a part never shrinks within an attempt. A part of a later attempt shows that the record exists.
 */
function reservesAlready(own: CreditPart, attempt: number, amountCents: number): boolean {
  return own.attempt > attempt || (own.attempt === attempt && own.amountCents >= amountCents);
}

/**
 * Written, or answered with null: it is reserved. `attempt` is the attempt's number. Throws StoreUnavailableError;
 * `unknown` when the write has no answer, and then the credit must not begin.
 */
async function takeCreditPart(
  ports: Ports,
  { operationId }: Asked,
  limited: Limited,
  attempt: number,
): Promise<Decided<CreditAllowance, FirstRefusal | null>> {
  const { id, person, day, currency, amountCents, limit, limits } = limited;
  return decide<CreditAllowance, Draft<CreditAllowance>, FirstRefusal | null>(
    ports,
    limits.allowances,
    id,
    async (read) => {
      const parts = read?.parts ?? [];
      const own = parts.find((part) => part.operationId === operationId);
      if (own && reservesAlready(own, attempt, amountCents)) return { answer: null };
      // While the sum fits the limit, the parts need not be read one by one.
      const plain = limit - spentOf(parts, operationId);
      const { kept, left } =
        plain >= amountCents && parts.length < creditPartsMax
          ? { kept: parts, left: plain }
          : await leftOf(ports, limited, parts, operationId);
      if (amountCents > left || kept.length >= creditPartsMax) return { answer: refusalOf(limited, left) };
      const others = kept.filter((part) => part.operationId !== operationId);
      const next = [...others, { ...own, operationId, attempt, amountCents }];
      return { write: { ...read, _id: id, person, day, currency, parts: next } };
    },
  );
}

interface LimitJudgement {
  /** Why the credit must not begin. */
  readonly refused?: OperationAnswer;
  /** The approval under which the credit passes above its limit; no part of the day is reserved. */
  readonly approval?: CreditApproval;
}

/**
 * Reserves the part; above the limit the request passes only with the approval of two people. Throws
 * StoreUnavailableError.
 */
export async function judgeCreditLimit(
  ports: Ports,
  asked: Asked,
  planId: string,
  attempt: number,
): Promise<LimitJudgement> {
  const limited = await limitedOf(ports, asked, planId);
  const taken = limited && (await takeCreditPart(ports, asked, limited, attempt));
  if (!taken || taken.kind === 'written') return {};
  if (taken.kind === 'unknown') {
    const detail =
      'What you may credit today could not be recorded; nothing was begun. Repeat with the same operation id.';
    return { refused: { kind: 'store_unavailable', detail } };
  }
  if (taken.answer === null) return {};
  const approval = await limited.limits.approvalOf?.(asked, limited.currency);
  return approval ? { approval } : { refused: { kind: 'not_acceptable', refusal: taken.answer } };
}

/**
 * What the person may still credit today, and whether this credit would be refused; null where no limit applies. Writes
 * nothing.
 */
export async function creditLeft(
  ports: Ports,
  asked: Asked,
  planId: string,
): Promise<{ readonly left: Money; readonly refusal: FirstRefusal | null } | null> {
  const limited = await limitedOf(ports, asked, planId);
  if (!limited || (await limited.limits.approvalOf?.(asked, limited.currency))) return null;
  const record = await limited.limits.allowances.findById(limited.id);
  const { left } = await leftOf(ports, limited, record?.parts ?? [], asked.operationId);
  const money = { amountCents: Math.max(0, left), currency: limited.currency };
  return { left: money, refusal: limited.amountCents > left ? refusalOf(limited, left) : null };
}
