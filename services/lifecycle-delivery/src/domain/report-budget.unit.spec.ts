/** The budget for reports that change nothing: its size, how fast it fills up again, and what a clock may not do to it. */
import { createManualClock } from '@platform/kernel';
import { createReportBudget, reportBurst, reportsPerSecond } from './report-budget';

function createBudget() {
  const clock = createManualClock();
  const budget = createReportBudget(clock);
  const charge = (count: number, consumer = 'storage'): boolean => {
    for (let each = 0; each < count; each += 1) budget.charge(consumer);
    return budget.hasLeft(consumer);
  };
  return { clock, budget, charge };
}

describe('the budget of a consumer', () => {
  it('is used up by a burst, for that consumer alone', () => {
    const { budget, charge } = createBudget();
    expect(charge(reportBurst - 1)).toBe(true);
    expect(charge(1)).toBe(false);
    expect(budget.hasLeft('search-index')).toBe(true);
  });

  it('fills up at its rate, and never beyond a burst', () => {
    const { clock, budget, charge } = createBudget();
    charge(reportBurst);
    clock.advance(1_000 / reportsPerSecond - 1);
    expect(budget.hasLeft('storage')).toBe(false);
    clock.advance(1);
    expect(budget.hasLeft('storage')).toBe(true);
    clock.advance(86_400_000);
    expect(charge(reportBurst)).toBe(false);
  });

  it('loses nothing to a clock that is set back, and gains nothing', () => {
    const { clock, budget, charge } = createBudget();
    charge(reportBurst - 1);
    clock.advance(-3_600_000);
    expect(budget.hasLeft('storage')).toBe(true);
    expect(charge(1)).toBe(false);
    clock.advance(1_000 / reportsPerSecond);
    expect(budget.hasLeft('storage')).toBe(true);
  });

  it('is forgotten once ten thousand names are in memory, so that names cost a bounded memory', () => {
    const { budget, charge } = createBudget();
    charge(reportBurst);
    for (let other = 1; other < 10_000; other += 1) budget.hasLeft(`consumer-${other}`);
    expect(budget.hasLeft('storage')).toBe(false);
    budget.hasLeft('one-more');
    expect(budget.hasLeft('storage')).toBe(true);
  });
});
