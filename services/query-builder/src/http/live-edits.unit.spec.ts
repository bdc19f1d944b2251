import type { Readable } from 'node:stream';
import { liveEditsRoute } from './live-edits';

type Answer = { readonly kind: string; readonly code?: string; readonly body: Readable };

describe('streams of edits', () => {
  it('leaves those of others to them, however many windows one person has', async () => {
    let end: () => void = () => undefined;
    const ending = new Promise<void>((resolve) => (end = resolve));
    const route = liveEditsRoute(() => new Promise(() => undefined), ending);
    const open = (subject: string) => route.handle({ caller: { subject } } as never) as unknown as Promise<Answer>;
    const own: Answer[] = [];
    for (let at = 0; at < 10; at += 1) own.push(await open('a'));
    expect(own.map(({ code }) => code)).toEqual(own.map(() => undefined));
    expect(await open('a')).toMatchObject({ kind: 'problem', code: 'overloaded' });
    expect((await open('b')).code).toBeUndefined();
    const closed = new Promise((resolve) => own[0]!.body.once('close', resolve));
    own[0]!.body.destroy();
    await closed;
    expect((await open('a')).code).toBeUndefined();
    end();
  });
});
