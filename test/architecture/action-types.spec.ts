/**
 * Incomplete actions must not compile. The compiler runs on programs that break one rule each, and on one that follows
 * all, so a rule that the types no longer enforce is detected.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runProgram } from '../support/run-program';
import { root, text } from './tree';

const contracts = path.join(root, 'libs/contracts/operator/src/actions');
const runs = path.join(root, 'services/operator/src/operations/domain/actions');

/** A source file of the repository, with its imports adapted to another folder. */
const moved = (folder: string, file: string) =>
  text(path.relative(root, path.join(folder, file)))
    .replaceAll("from './", `from '${folder}/`)
    .replaceAll("from '../../../", `from '${path.resolve(folder, '../../..')}/`)
    .replaceAll("from '../", `from '${path.resolve(folder, '..')}/`);

const credit = moved(contracts, 'credit-customer.ts');
const suspension = moved(runs, 'suspend.ts');

interface Canary {
  readonly source: string;
  /** The expected error of the compiler; null when there must be none. */
  readonly complaint: RegExp | null;
}

const canaries: Readonly<Record<string, Canary>> = {
  'a-definition-as-it-is': { source: credit, complaint: null },
  'a-running-half-as-it-is': { source: suspension, complaint: null },
  'an-action-without-money-flag': { source: credit.replace('  movesMoney: true,\n', ''), complaint: /'movesMoney'/ },
  'an-action-without-starter': {
    source: credit.replace("  startedBy: 'platform_owner',\n", ''),
    complaint: /'startedBy'/,
  },
  'an-action-without-first-request-rule': {
    source: credit.replace(/ {2}firstRequest: \[[\s\S]*? {2}\],\n/, ''),
    complaint: /'firstRequest'/,
  },
  'an-action-without-consequences': {
    source: credit.replace(/ {2}consequences: [\s\S]*? {2}\],\n/, ''),
    complaint: /'consequences'/,
  },
  'a-first-request-rule-about-no-value-of-it': {
    source: credit.replace("value: 'amountCents', mustBe", "value: 'amount', mustBe"),
    complaint: /"amount"/,
  },
  'a-refusal-that-no-table-has': {
    source: credit.replace("'no_provider_customer'", "'no_customer'"),
    complaint: /"no_customer"/,
  },
  'a-running-half-without-judgement-of-a-refusal': {
    source: suspension.replace(/ {2}refuses: .*\n/, '  refuses: {},\n'),
    complaint: /'already_suspended'/,
  },
  'a-name-without-running-half': {
    source: moved(runs, 'index.ts').replace('  checkout,\n', ''),
    complaint: /'checkout'/,
  },
};

describe('the types of the actions', () => {
  it('compile what is whole and refuse what leaves something out', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'action-types-'));
    try {
      for (const [name, { source }] of Object.entries(canaries)) writeFileSync(path.join(folder, `${name}.ts`), source);
      const config = {
        extends: path.join(root, 'tsconfig.base.json'),
        compilerOptions: { types: [], incremental: false, noUnusedLocals: false },
        include: ['*.ts'],
      };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
      const compiler = path.join(root, 'node_modules/typescript-native/bin/tsc');
      const { stdout } = await runProgram([compiler, '-p', folder, '--pretty', 'false']);
      const complaints = (name: string) => stdout.split(/\n(?=\S)/).filter((each) => each.includes(`${name}.ts(`));
      for (const [name, { complaint, source }] of Object.entries(canaries)) {
        const found = complaints(name).join('\n');
        if (complaint === null) expect([name, found]).toEqual([name, '']);
        else {
          expect([name, found]).toEqual([name, expect.stringMatching(complaint)]);
          // The part that breaks the rule was really changed.
          expect([credit, suspension, moved(runs, 'index.ts')]).not.toContain(source);
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
