/** Points of a preview that holds fewer than there are. */
import { emptyForm } from './form';
import { axisOf, shownOf } from './points';

describe('a preview that is cut', () => {
  const values = (orderBy: string) => {
    const params = { op: 'count', groupBy: 'createdAt', bucket: 'day', orderBy };
    const series = [
      { x: 20260103, y: 9 },
      { x: 20260101, y: 8 },
    ];
    return shownOf({ series }, axisOf({ ...emptyForm, params }, {}, '2026-06-01'), true).points!.map(
      ({ value }) => value,
    );
  };

  it('shows no zero for a day whose point may have been cut', () => {
    expect(values('measure')).toEqual([8, null, 9]);
    expect(values('group')).toEqual([8, 0, 9]);
  });
});
