/** The command line of `instance gone`: what a person must say for the record. */
import { Misuse } from '@platform/command-line';
import { instanceGoneOf } from './instance-command';

const asked = (said: { proof?: string; by?: string; 'token-file'?: string }) =>
  instanceGoneOf('operator', 'operator-1', { yes: false, ...said });

describe('the proof that an instance is gone', () => {
  it.each([undefined, '', 'too short', `  ${'x'.repeat(9)}  `])(
    'is refused as %j, which explains too little',
    (proof) => {
      expect(() => asked({ ...(proof !== undefined && { proof }) })).toThrow(Misuse);
    },
  );

  it('is kept in its own words, with the person who answers for it', () => {
    const said = { by: 'ann@example.com', 'token-file': '/run/token' };
    expect(asked({ proof: `  ${'x'.repeat(10)}  `, ...said })).toEqual({
      service: 'operator',
      instance: 'operator-1',
      proof: 'x'.repeat(10),
      by: { email: 'ann@example.com', tokenFile: '/run/token' },
      yes: false,
    });
  });
});
