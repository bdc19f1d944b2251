import crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPortBase } from './free-ports';

describe('the ports of a platform', () => {
  const saved = process.env['TEST_RUN_FOLDER'];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'run-'));
    process.env['TEST_RUN_FOLDER'] = folder;
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env['TEST_RUN_FOLDER'] = saved;
    rmSync(folder, { recursive: true, force: true });
  });

  it('belong to one suite of a run, also while its platform does not listen', () => {
    // Two suites begin at the same place.
    jest.spyOn(crypto, 'randomInt').mockImplementation(() => 5);
    expect(findPortBase()).not.toBe(findPortBase());
  });
});
