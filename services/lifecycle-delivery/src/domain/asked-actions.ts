/** People's requests about consumers, as one list in the order of time. */
import type { AskedAction, InspectActions } from '@platform/contracts-lifecycle-delivery';
import type { ConsumerRecord } from './consumer';
import type { ConsumerAction, Replay, TestOfConsumer } from './consumer-work';

/** A page of the recorded requests: at most `limit`, strictly after the position. */
export function askedActions(records: readonly ConsumerRecord[], asked: InspectActions): AskedAction[] {
  const { by, order, limit } = asked;
  const from = instantOf(asked.from);
  const to = instantOf(asked.to);
  const after = asked.after && { ...asked.after, at: new Date(asked.after.at).toISOString() };
  const sign = order === 'oldest' ? 1 : -1;
  return records
    .flatMap(actionsOn)
    .filter((one) => by === undefined || one.by === by)
    .filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to))
    .filter((one) => !after || sign * compare(one, after) > 0)
    .sort((one, other) => sign * compare(one, other))
    .slice(0, limit);
}

const instantOf = (text: string | undefined): string | undefined => text && new Date(text).toISOString();

type Placed = Pick<AskedAction, 'at' | 'id'>;

/** The instants have one text format of one length, so comparing the texts compares the instants, then the ids. */
const placeOf = ({ at, id }: Placed): string => `${at} ${id}`;

function compare(one: Placed, other: Placed): number {
  const [place, otherPlace] = [placeOf(one), placeOf(other)];
  return Number(place > otherPlace) - Number(place < otherPlace);
}

function actionsOn({ _id: consumer, actions = [], tests = [], replay }: ConsumerRecord): AskedAction[] {
  const idOf = (requestId: string): string => `${consumer}/${requestId}`;
  return [
    ...actions.map(({ requestId, action, by, reason, at }) => ({
      ...{ id: idOf(requestId), consumer, action, by, reason, at: at.toISOString() },
      status: statusOfAction({ requestId, action }, replay),
    })),
    ...tests.map((test) => ({
      ...{ id: idOf(test.testId), consumer, action: 'test' as const, by: test.by, reason: test.reason },
      ...{ at: test.requestedAt.toISOString(), status: statusOfTest(test) },
    })),
  ];
}

function statusOfAction(
  { requestId, action }: Pick<ConsumerAction, 'requestId' | 'action'>,
  replay: Replay | undefined,
): AskedAction['status'] {
  return action === 'replay' && replay?.requestId === requestId ? replay.status : 'recorded';
}

function statusOfTest({ receipt, failure }: TestOfConsumer): AskedAction['status'] {
  if (receipt) return 'succeeded';
  return failure ? 'failed' : 'pending';
}
