import { TableModel } from '@platform/page-runtime';
import { visits } from './resource';

export class VisitsModel extends TableModel<typeof visits> {
  readonly resource = visits;

  visitsByDay(minStartedAt: Date) {
    return this.rows()
      .where('startedAt', 'ge', minStartedAt)
      .groupBy('startedAt', { bucket: 'day', timezone: 'Europe/Paris' })
      .measure('count')
      .orderBy('group', 'asc');
  }
}
