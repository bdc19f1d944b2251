/**
 * The stage of the demo's chapters: clients, the run's workspace, expectations that are printed when they are checked,
 * and the operations that the closing table reads back. One file per chapter; `demo.ts` lists them in order.
 */
import type { GatewayClient } from './gateway-client';
import type { SeedWorkspace } from '../seed-catalog';
import type { TwinClient } from './twin-client';

/** The query builder and its page host. */
export interface BuilderStage {
  /** As the platform owner, who may write queries. */
  readonly owner: GatewayClient;
  /** As a member of the seeded workspace `acme` who may read the shop's orders. */
  readonly reader: GatewayClient;
  /** As a member of another workspace who may read the same there. */
  readerOf(tenantId: string): Promise<GatewayClient>;
  readonly root: string;
  readonly projectDir: string;
  /** The environment with which the builder's command line reaches this platform's store. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface Stage {
  /** As the platform owner. */
  readonly gateway: GatewayClient;
  /** As the owner of the workspace. */
  readonly owner: GatewayClient;
  readonly twin: TwinClient;
  readonly builder: BuilderStage;
  readonly tenantId: string;
  /** Names this run; unique on its platform. */
  readonly run: string;
  /** How many workspaces are migrated to another plan. */
  readonly workspaces: number;
  /** Acts as a person who is signed in and owns nothing yet. */
  person(email: string): Promise<GatewayClient>;
  /** More workspaces, with their subscriptions at the provider. */
  addWorkspaces(workspaces: readonly SeedWorkspace[]): Promise<void>;
  /** An operation id of this run; the operation appears in the closing table. */
  operationId(name: string): string;
  /** One expectation: its sentence is printed with the verdict, and `seen` when it is not met. */
  expect(sentence: string, holds: boolean, seen?: unknown): void;
}

export interface Chapter {
  readonly title: string;
  play(stage: Stage): Promise<void>;
}

export interface Score {
  readonly met: number;
  readonly missed: readonly string[];
  readonly operationIds: readonly string[];
}

export interface StageOptions {
  readonly gateway: GatewayClient;
  readonly owner: GatewayClient;
  readonly twin: TwinClient;
  readonly builder: BuilderStage;
  readonly tenantId: string;
  readonly run: string;
  readonly workspaces: number;
  readonly person: (email: string) => Promise<GatewayClient>;
  readonly addWorkspaces: (workspaces: readonly SeedWorkspace[]) => Promise<void>;
  readonly show: (line: string) => void;
}

const shownCharacters = 400;

/** A stage and the way to read its score. */
export function buildStage({
  gateway,
  owner,
  twin,
  builder,
  tenantId,
  run,
  workspaces,
  person,
  addWorkspaces,
  show,
}: StageOptions): { stage: Stage; score: () => Score } {
  const operationIds: string[] = [];
  const missed: string[] = [];
  let met = 0;
  const stage: Stage = {
    gateway,
    owner,
    twin,
    builder,
    tenantId,
    run,
    workspaces,
    person,
    addWorkspaces,
    operationId: (name) => {
      const id = `demo-${run}-${name}`;
      operationIds.push(id);
      return id;
    },
    expect: (sentence, holds, seen) => {
      if (holds) met += 1;
      else missed.push(sentence);
      show(
        `  ${holds ? '✓' : '✗'} ${sentence}${holds || seen === undefined ? '' : `\n      seen: ${JSON.stringify(seen)?.slice(0, shownCharacters)}`}`,
      );
    },
  };
  return { stage, score: () => ({ met, missed, operationIds }) };
}
