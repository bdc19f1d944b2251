/**
 * Days pass: operations are left running, unknown or failed, every clock of the platform jumps to just after each
 * limit, and the same ids are sent again. Time alone must change only one of the answers: the retry window ends.
 */
import { eventually } from '@platform/testing';
import type { Answer, GatewayClient } from '../../infra/local/demo/gateway-client';
import type { TwinClient } from '../../infra/local/demo/twin-client';
import type { TestPlatform } from '../support/platform';
import type { Clocks } from './clock/set-clocks';

export interface TimeStage {
  readonly platform: TestPlatform;
  readonly gateway: GatewayClient;
  readonly twin: TwinClient;
  readonly clocks: Clocks;
  readonly seed: number;
  readonly show: (line: string) => void;
}

const minute = 60_000;
const hour = 60 * minute;
/**
 * Together 72 hours. Each jump ends a moment after a limit: a quarter of an hour, an hour, 20 hours, a day, three days.
 */
const jumps = [16 * minute, 46 * minute, 19 * hour, 5 * hour, 47 * hour];
const tenantId = 'acme';
const credits = '/v1/customers/*/balance_transactions';
const patienceMs = 180_000;

interface Left {
  readonly what: string;
  readonly operationId: string;
}

function ask({ gateway }: TimeStage, operationId: string): Promise<Answer | undefined> {
  const body = { operationId, amountCents: 100, reason: 'chaos over days' };
  return gateway.post(`/api/saas/workspaces/${tenantId}/balance-credit`, body).catch(() => undefined);
}

async function heldRequests({ twinUrl }: TestPlatform): Promise<number> {
  const { faults } = (await (await fetch(`${twinUrl}/_twin/faults`)).json()) as { faults: { held: string[] }[] };
  return faults.flatMap(({ held }) => held).length;
}

/** The gateway dies while the provider holds the answer: the operation is left running, and its effect happens. */
async function leaveRunning(stage: TimeStage): Promise<Left> {
  const { platform, twin, seed } = stage;
  const operationId = `chaos-${seed}-left-running`;
  await twin.addFault({ match: { method: 'POST', path: credits }, fault: 'hold', times: 1 });
  const cutOff = ask(stage, operationId);
  await eventually(async () => (await heldRequests(platform)) > 0, {
    describe: 'the held credit',
    deadlineMs: patienceMs,
  });
  await platform.kill('operator');
  await twin.removeFaults();
  await platform.restart('operator');
  await cutOff;
  return { what: 'left running', operationId };
}

async function leaveUnknown(stage: TimeStage): Promise<Left> {
  const operationId = `chaos-${stage.seed}-left-unknown`;
  await stage.twin.addFault({ match: { method: 'POST', path: credits }, fault: 'lose_answer_after', times: 1 });
  await ask(stage, operationId);
  await stage.twin.removeFaults();
  return { what: 'left unknown', operationId };
}

/** The provider refuses without an effect, so a repeat within the window may send it again. */
async function failAgain(stage: TimeStage, operationId: string): Promise<Answer | undefined> {
  await stage.twin.addFault({ match: { method: 'POST', path: credits }, fault: 'rate_limit', times: 1 });
  const answer = await ask(stage, operationId);
  await stage.twin.removeFaults();
  return answer;
}

/** Every clock jumps; resolves when the gateway stamps records by the new time. */
async function letTimePass(stage: TimeStage, milliseconds: number, number: number): Promise<void> {
  const { twin, clocks, gateway, seed } = stage;
  clocks.jump(milliseconds);
  await twin.advance(milliseconds / 1_000);
  let probe = 0;
  await eventually(
    async () => {
      const operationId = `chaos-${seed}-clock-${number}-${(probe += 1)}`;
      if ((await ask(stage, operationId))?.status !== 200) return false;
      const { createdAt } = await gateway.operation(tenantId, operationId);
      return Math.abs(new Date(createdAt).getTime() - clocks.at(performance.timeOrigin + performance.now())) < minute;
    },
    { describe: 'records that are stamped by the new time', deadlineMs: patienceMs },
  );
}

/** Sends the requests again at each age; the checker judges the results. */
export async function playTime(stage: TimeStage): Promise<void> {
  const failing = `chaos-${stage.seed}-left-failed`;
  const left = [await leaveRunning(stage), await leaveUnknown(stage)];
  await failAgain(stage, failing);
  let passed = 0;
  for (const [number, milliseconds] of jumps.entries()) {
    await letTimePass(stage, milliseconds, number);
    passed += milliseconds;
    const answers: string[] = [];
    for (const { what, operationId } of left) {
      const answer = await ask(stage, operationId);
      answers.push(`${what}: ${answer?.status ?? 'lost'} ${String(answer?.body['code'] ?? '')}`);
    }
    // Within its window it fails once more, so that the last write is recent while the intent is old.
    const again = passed < 23 * hour ? await failAgain(stage, failing) : await ask(stage, failing);
    answers.push(`left failed: ${again?.status ?? 'lost'} ${String(again?.body['code'] ?? '')}`);
    stage.show(`time:       after ${(passed / hour).toFixed(1)} h: ${answers.join(' · ')}`);
  }
}
