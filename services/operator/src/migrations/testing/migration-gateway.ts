/** The routes of plan migrations on the ports of a test; a job runs while its request is answered. */
import type { Route } from '@platform/http-server';
import { migrationRoutes } from '../http/migration-routes';
import type { MigrationPorts } from '../workflows/ports';
import { listMigrations } from '../workflows/list-migrations';
import { prepareMigration } from '../workflows/prepare-migration';
import { readMigration } from '../workflows/read-migration';
import { requestMigration } from '../workflows/request-migration';
import { runMigration } from '../workflows/run-migration';
import { bootMigrations } from './migration-world';
import type { OperatorWorld } from '../../testing/operator-world';

/** The routes; `underWay` collects the jobs that were started, for tests that await them. */
function routesOn(ports: MigrationPorts, underWay: Promise<void>[] = []): Route[] {
  return migrationRoutes({
    planExists: async (planId) => (await ports.plans.findById(planId)) !== null,
    request: (request) => requestMigration(ports, request, (pending) => underWay.push(runMigration(ports, pending))),
    prepare: (from, target, page) => prepareMigration(ports, from, target, page),
    list: (query) => listMigrations(ports.migrations, query),
    read: (migrationId, query) =>
      readMigration({ ...ports, askExecutors: async () => [{ state: 'alive' }] }, migrationId, query),
  });
}

/** On the world of the operator's actions. */
export function testMigrationRoutes(world: OperatorWorld): Route[] {
  return routesOn(bootMigrations(world, 1).ports);
}
