import { arrange } from './arrange';
import { TableModel } from './chain';
import { asBoolean, asDate, asNumber } from './coercions';
import { ChainError } from './compile/chain-error';
import { Get, Model, Page, PagePermission, Param, Query, routesOf, type PageUser } from './decorators';
import { rehearse } from './rehearse';
import { defineResource } from './resource';

const orders = defineResource('orders', {
  tenantScoped: true,
  fields: {
    status: { type: 'select', options: ['paid', 'open'] },
    note: { type: 'string' },
    total: { type: 'price' },
    gift: { type: 'boolean' },
    createdAt: { type: 'date' },
  },
});

class OrdersModel extends TableModel<typeof orders> {
  readonly resource = orders;
  revenue(minCreatedAt: Date, belowCreatedAt: Date, status: string, minTotal: number, gift: boolean, note: string) {
    return this.rows()
      .where('createdAt', 'ge', minCreatedAt)
      .where('createdAt', 'lt', belowCreatedAt)
      .where('status', 'eq', status as never)
      .where('total', 'ge', minTotal)
      .where('gift', 'eq', gift)
      .where('note', 'eq', note)
      .groupBy('createdAt', { bucket: 'month' })
      .measure('sum', 'total')
      .orderBy('group', 'asc');
  }
  impossible() {
    return this.rows().groupBy('createdAt').measure('count').orderBy('group', 'asc');
  }
}

@Page({ title: 'Orders', permission: 'orders.read' })
class OrdersPage {
  @Get('/stats/revenue/:status')
  async revenue(
    @PagePermission(() => OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
    @Query('from') from: string,
    @Query('to') to: string,
    @Param('status') status: string,
    @Query('least') least: string,
    @Query('gift') gift: string,
    @Query('note') note: string,
    @Query('compareFrom') compareFrom: string,
    @Query('compareTo') compareTo: string,
  ) {
    return arrange(await model.revenue(asDate(from), asDate(to), status, asNumber(least), asBoolean(gift), note), {
      response: 'card',
      measure: 'sum',
      previous: await model.revenue(
        asDate(compareFrom),
        asDate(compareTo),
        status,
        asNumber(least),
        asBoolean(gift),
        note,
      ),
    });
  }

  @Get('/stats/impossible')
  async impossible(@PagePermission(() => OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel) {
    return { series: await model.impossible() };
  }

  @Get('/stats/by-hand')
  async byHand(@PagePermission(() => OrdersPage) _user: PageUser, @Query('anything') anything: string) {
    if (anything.startsWith('probe')) throw new Error('not for me');
    return { value: 1 };
  }
}

const route = (name: string) => routesOf(OrdersPage).find(({ method }) => method === name)!;

describe('the rehearsal of a route', () => {
  it('finds what each value stands for, its options and its comparisons, also in the second call', async () => {
    const { parameters, calculations, needsTenant } = await rehearse(OrdersPage, route('revenue'));
    const found = Object.fromEntries(
      parameters.map(({ name, role, uses, in: source }) => [
        name,
        `${source} ${role} ${[...new Set(uses.map(({ op }) => op))].join()}`,
      ]),
    );
    expect(found).toEqual({
      from: 'query date ge',
      to: 'query date lt',
      status: 'param select eq',
      least: 'query number ge',
      gift: 'query boolean ',
      note: 'query text eq',
      compareFrom: 'query date ge',
      compareTo: 'query date lt',
    });
    expect(parameters.find(({ name }) => name === 'status')?.options).toEqual(['paid', 'open']);
    expect(calculations).toHaveLength(2);
    expect(needsTenant).toBe(true);
  });

  it('reports a chain that no request can make right', async () => {
    await expect(rehearse(OrdersPage, route('impossible'))).rejects.toThrow(ChainError);
  });

  it('leaves alone what a hand-written route does with its text', async () => {
    expect(await rehearse(OrdersPage, route('byHand'))).toMatchObject({
      parameters: [{ name: 'anything', role: 'unknown' }],
      calculations: [],
      needsTenant: false,
    });
  });

  it('knows where a route is declared', () => {
    expect(route('byHand').declaredAt.stack).toContain('rehearse.unit.spec');
  });
});
