import { clock, entry, setUp } from './relay.harness';

describe('an entry that waits for its receiver', () => {
  const asking = (answer: (ids: readonly string[]) => readonly string[]) => {
    const asked: string[][] = [];
    const received = async (entries: readonly { readonly id: string }[]) => {
      asked.push(entries.map(({ id }) => id));
      return new Set(answer(entries.map(({ id }) => id)));
    };
    return { asked, received };
  };

  it('ends when its receiver says that it has a record, and is published no more', async () => {
    const { asked, received } = asking((ids) => ids.filter((id) => id === 'known'));
    const { relay, source, published } = setUp({ r1: [entry('known'), entry('other')] }, { received });
    await relay.sweep();
    expect(asked).toEqual([]);
    clock.advance(60_000);
    expect(await relay.sweep()).toMatchObject({ confirmed: 1 });
    expect(asked).toEqual([['known', 'other']]);
    expect(source.ids()).toEqual(['other']);
    expect(published()).toEqual(['known', 'other', 'other']);
  });

  it('is not asked about while the broker has not acknowledged it', async () => {
    const { asked, received } = asking((ids) => ids);
    const { relay, source, publisher } = setUp({ r1: [entry('m1')] }, { received });
    publisher.answer(() => 'unknown');
    await relay.sweep();
    await relay.sweep();
    expect(asked).toEqual([]);
    expect(source.ids()).toEqual(['m1']);
  });

  it('is published again at once when the broker has lost what it had acknowledged', async () => {
    const { relay, published } = setUp({ r1: [entry('m1')] });
    await relay.sweep();
    await relay.sweep();
    expect(published()).toEqual(['m1']);
    relay.streamsRecreated();
    await relay.sweep();
    expect(published()).toEqual(['m1', 'm1']);
  });

  it('goes on being published while its receiver cannot be asked', async () => {
    const received = () => Promise.reject(new Error('no answer'));
    const { relay, source, published } = setUp({ r1: [entry('m1')] }, { received });
    await relay.sweep();
    clock.advance(60_000);
    expect(await relay.sweep()).toMatchObject({ acknowledged: 1, complete: true });
    expect(source.ids()).toEqual(['m1']);
    expect(published()).toEqual(['m1', 'm1']);
  });

  it('is published ever more rarely, until a publish shows that the broker was unreachable', async () => {
    const { relay, source, publisher, published } = setUp({ r1: [entry('m1')] });
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        clock.advance(60_000);
        await relay.sweep();
      }
      return published().filter((id) => id === 'm1').length;
    };
    await relay.sweep();
    expect(await minutes(4)).toBe(4);
    expect(await minutes(1_440)).toBeLessThan(4 + 1_440 / 16 + 5);
    source.rows.set('r2', [entry('m2', 'publish_ack')]);
    publisher.answer(({ id }) => (id === 'm2' ? 'unknown' : 'acknowledged'));
    const before = published().filter((id) => id === 'm1').length;
    await relay.sweep();
    expect((await minutes(2)) - before).toBeGreaterThanOrEqual(1);
  });
});
