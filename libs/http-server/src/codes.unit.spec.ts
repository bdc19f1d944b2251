import { baseCodes, defineCodes, mergeCodes } from './codes';
import { problem, problemDocument } from './problem';

const entry = { status: 409, title: 'T', message: 'M', nextStep: 'N' };

describe('the table of codes', () => {
  it('merges the base codes with those of a service', () => {
    expect(mergeCodes(baseCodes, defineCodes({ already_suspended: entry }))['already_suspended']).toEqual(entry);
  });

  it('refuses a code that occurs twice, a name that is not in snake_case and a status that is no refusal', () => {
    expect(() => mergeCodes(baseCodes, defineCodes({ not_found: entry }))).toThrow('defined twice');
    expect(() => defineCodes({ notFound: entry })).toThrow('snake_case');
    expect(() => defineCodes({ fine: { ...entry, status: 200 } })).toThrow('no refusal');
  });

  it('is frozen', () => {
    expect(Object.isFrozen(baseCodes) && Object.isFrozen(baseCodes.not_found)).toBe(true);
  });

  it('gives every code one document', () => {
    for (const [code, { status, title, message, nextStep }] of Object.entries(baseCodes)) {
      expect(problemDocument(baseCodes, problem(code))).toEqual({
        type: `https://errors.workspace-platform.dev/${code}`,
        title,
        status,
        code,
        detail: message,
        nextStep,
      });
    }
  });

  it.each(['toString', 'no_such_code'])('has no document for %s', (code) => {
    expect(() => problemDocument(baseCodes, problem(code))).toThrow('not in the table');
  });
});
