import { expect, test } from 'vitest'
import { describeInvite } from './group-invites.tsx'

const now = Date.UTC(2026, 10, 21, 12)
const at = (ms: number) => new Date(now + ms).toISOString()
const invite = {
  code: 'abc',
  url: '/join/abc',
  requiresApproval: false,
  uses: 0,
  usesMax: null,
  endsAt: null,
}

test.each([
  [{}, 'Whoever has this link can join.'],
  [{ uses: 1 }, 'Whoever has this link can join. Used once.'],
  [{ uses: 3 }, 'Whoever has this link can join. Used 3 times.'],
  [
    { requiresApproval: true, usesMax: 10, uses: 2 },
    'Whoever has this link can ask to join. An admin lets them in. Used 2 of 10 times.',
  ],
  [{ usesMax: 1, uses: 1 }, 'This link is used up: it was for one person. Make a new one.'],
  [{ endsAt: at(0) }, 'This link has ended. Make a new one.'],
])('of a link with %j people read: %s', (given, words) => {
  expect(describeInvite({ ...invite, ...given }, now)).toBe(words)
})

test('a link that is still to end says when', () => {
  const words = describeInvite({ ...invite, endsAt: at(60_000) }, now)
  expect(words).toMatch(
    /^Whoever has this link can join\. It ends on \d\d\/\d\d\/2026 at \d\d:\d\d\.$/,
  )
})
